"""Exams: the syllabus lists the steps, the paper has their cases, the key the expected answers."""
