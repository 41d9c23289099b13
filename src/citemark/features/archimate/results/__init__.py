"""What the tools and commands of architecture models give out."""
