"""Answers against the key: marks, with a message for every failed check and a diagnosis for every wrong step."""
