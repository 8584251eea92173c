"""The pages: blocks that run, figures, and Markdown extensions."""
