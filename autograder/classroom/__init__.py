"""A class: many submissions, marked and handed on."""
