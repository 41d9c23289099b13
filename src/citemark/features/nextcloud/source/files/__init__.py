"""Files of an account, wherever they are shared from."""
