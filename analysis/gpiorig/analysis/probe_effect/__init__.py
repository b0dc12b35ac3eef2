"""The probe effect: the same experiment with other probes."""
