"""nbgrader's gradebook: what goes into it, where it is, and writing it in one transaction."""
