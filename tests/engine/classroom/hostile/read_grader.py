"""Imports the modules of the grader that mark.

part1_simplified.dot_product: passed
"""

import importlib

from targets import must_fail


def dot_product(a, b):
    must_fail(
        ("known mistakes", importlib.import_module, "course.part1_simplified.mistakes"),
        ("marking", importlib.import_module, "autograder.grading.grade"),
        ("authoring", importlib.import_module, "autograder.authoring.verification"),
        ("the class", importlib.import_module, "autograder.classroom.batch"),
    )
    return (a * b).sum()
