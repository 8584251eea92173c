"""Tests of the site. A package, as are its folders: the browser is there from its first test to its last."""
