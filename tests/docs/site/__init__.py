"""Tests of the site as a whole."""
