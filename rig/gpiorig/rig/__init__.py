"""The application: benches, boards, experiments, the virtual bench, the command line."""
