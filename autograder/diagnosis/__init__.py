"""The causes of wrong steps: found by running the submission again, once its marks are known."""
