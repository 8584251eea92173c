"""The `attn` command: student verbs, instructor verbs, and how verdicts are drawn."""
