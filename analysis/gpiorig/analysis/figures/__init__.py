"""Figures, drawn with matplotlib: a module for each subject, and one colour for each kind of steps."""
