"""Grading: compare answers with the key, compute points, explain failed checks and wrong steps."""
