"""The grader in a notebook: after `%load_ext autograder`, each step is marked once its cell has run."""
