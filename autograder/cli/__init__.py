"""The `attn` command: the verbs of students and of instructors."""
