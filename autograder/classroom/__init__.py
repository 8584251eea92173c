"""Mark the submissions of a class, and report and export the marks."""
