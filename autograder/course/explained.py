"""Errors that explain themselves to whoever called a command."""


class ExplainedError(Exception):
    """Something cannot be done. The message says why and what to do: a command that does not catch it prints it and exits with 2."""
