"""Boards that run real images, the air between them, their faults, and the truth of both."""
