"""Keeps the index in step with the sources: plan, apply, and the two queues."""
