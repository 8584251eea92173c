"""Read submissions: find the module of each part, and flag what a teacher should check."""
