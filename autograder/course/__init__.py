"""The course as data: parts, steps and cases; and runs of implementations on cases."""
