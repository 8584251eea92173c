"""The report on a class: a page for the instructor, and a page for each student."""
