"""The grader in a notebook: after `%load_ext autograder`, each step is marked when its cell was run."""
