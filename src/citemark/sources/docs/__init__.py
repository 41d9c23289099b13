"""A folder of documents: text, web pages, PDF, office files, mail."""
