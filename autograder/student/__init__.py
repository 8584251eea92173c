"""The tools of students: the practice exam, progress, editing, the watch, notebooks, pytest and advice."""
