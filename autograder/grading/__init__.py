"""Grading: compare answers with the key, compute points, and explain wrong answers."""
