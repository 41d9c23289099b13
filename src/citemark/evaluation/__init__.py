"""Asks the product questions whose answers are known, and reports what came back as figures."""
