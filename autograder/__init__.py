"""The grader of a course in which students build attention one tensor at a time.

Rooms, each importing only from those before it: course, exam, sitting, marking, publishing; `cli` and `pytest_plugin` on top.
"""
