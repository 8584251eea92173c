"""The student's desk: the practice exam, progress, editing, the watch, the notebook, pytest, and what is wrong with an install."""
