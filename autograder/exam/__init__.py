"""Build exams: paper, key and syllabus, from reference, course data and known mistakes."""
