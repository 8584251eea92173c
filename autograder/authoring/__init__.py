"""The products of the solutions and the course data, and the course's check of itself."""
