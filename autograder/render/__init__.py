"""Drawings of tensors, shapes, traces and marks: in the terminal, in sentences and as HTML."""
