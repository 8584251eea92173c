"""Setting an exam: reference modules, course data and known mistakes become a paper, a key and a syllabus."""
