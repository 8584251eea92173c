"""Drawings of tensors, traces and marks: in the terminal, as sentences and as HTML."""
