"""A folder of documentation: Markdown, MDX and plain text."""
