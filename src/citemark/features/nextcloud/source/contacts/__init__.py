"""The contacts of an account."""
