"""Build pages: run their blocks of code, draw figures, and extend Markdown."""
