"""The course as data: parts, steps, cases, probes and their observations."""
