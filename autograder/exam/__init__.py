"""Setting an exam: from the reference modules, the course and the known mistakes to a paper, a key and a syllabus.

Sitting and marking an exam need none of the three, only the exam.
"""
