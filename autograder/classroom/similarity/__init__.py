"""Submissions that are alike: what is computed from what, compared by how rare it is to be so alike in this class."""
