"""The course as data: parts, steps and cases, the probes that run an implementation, and what a probe observes."""
