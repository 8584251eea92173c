"""From what a learning platform gives to a class folder: one entry a student, when each was handed in, and who is who."""
