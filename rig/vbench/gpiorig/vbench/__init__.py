"""The virtual bench: boards that run real images, and everything that makes them look like hardware from outside."""
