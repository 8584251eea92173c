"""The report on a class: one page for the instructor, and one for each student that holds nothing of others."""
