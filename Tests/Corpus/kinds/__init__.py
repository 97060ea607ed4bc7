"""The recipes of each kind of file."""
