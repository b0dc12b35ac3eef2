"""The parts of the three-clock audit; `auditor.audit` puts them together."""
