"""The results about accounts."""
