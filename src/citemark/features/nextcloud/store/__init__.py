"""What the database keeps of accounts."""
