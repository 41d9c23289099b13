"""What every conversation with a provider over HTTP needs, whatever is asked of it."""
