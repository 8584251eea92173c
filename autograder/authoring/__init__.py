"""What is made from the solutions and the course data: stubs, syllabus and practice exam; and the course's check of itself."""
