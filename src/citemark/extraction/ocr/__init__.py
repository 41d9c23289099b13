"""Text recognition (OCR) of scanned pages and pictures, with the extra `citemark[ocr]`."""
