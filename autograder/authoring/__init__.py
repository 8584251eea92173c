"""Make files from the solutions and the course data, and verify the course."""
