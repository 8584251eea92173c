"""Submissions: files in any shape become modules of parts, and flags for a person."""
