"""PDF, read with PDFium."""
