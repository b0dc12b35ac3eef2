"""Tables of the stages, of the evaluation and of the audit."""
