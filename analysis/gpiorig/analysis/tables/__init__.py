"""Tables of the stages, of the study and of the audit."""
