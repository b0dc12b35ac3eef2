"""Verifying a bench: the wiring, the boards' identities, the calibration and the time base, and the certificate."""
