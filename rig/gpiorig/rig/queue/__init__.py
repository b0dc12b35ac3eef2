"""Queues: studies and experiments over benches, in order or in parallel, unattended, resumed after any end."""
