"""The tools for students: marking, progress, the watch, notebooks, pytest, repair of the installation."""
