"""Slips: small edits of tensor programs, as syntax. Nothing is executed here, so nothing needs torch."""
