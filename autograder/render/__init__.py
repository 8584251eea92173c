"""Drawing: a matrix, a shape, a trace and marks, for a terminal, in words and as HTML."""
