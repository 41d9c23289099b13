"""Events and to-dos of the calendars of an account."""
