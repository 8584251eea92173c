"""Collect the downloads of learning platforms into a class folder."""
