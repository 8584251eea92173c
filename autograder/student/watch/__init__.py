"""`attn watch`: mark again on every save, in a process that keeps torch imported."""
