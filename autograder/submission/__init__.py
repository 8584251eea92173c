"""Read submissions: find the module of each part, and flag files and names that a teacher should check."""
