"""The sigrok-cli supervisor: process, stream, session, result."""
