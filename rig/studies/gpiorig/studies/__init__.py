"""Many runs: studies and their pages, plans over benches, recordings analysed on several processes or a cluster."""
