"""Keeps the index equal to the sources: plan, apply, and the two queues."""
