"""A course as data (parts, steps, cases), and runs of implementations on cases."""
