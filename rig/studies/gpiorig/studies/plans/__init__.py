"""Plans: points over benches, in order or in parallel, on processes or a cluster, unattended, resumed after any end."""
