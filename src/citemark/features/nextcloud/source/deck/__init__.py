"""Cards of the boards that an account may see."""
