"""A submission sits a paper: read it, run it in a child process, bring its answers back as data.

Nothing here reads a key or judges an answer, and nothing but `child` and what it imports needs torch.
"""
