"""The marks of a class in the formats of learning platforms: one module a format."""


class CannotExport(Exception):
    """Marks do not fit a format, or what else it needs. The message says why and what to do."""
