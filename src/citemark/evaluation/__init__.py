"""Golden questions, test collections, reports."""
