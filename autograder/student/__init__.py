"""What students use: the practice exam, progress, editing, the watch, notebooks, pytest and advice."""
