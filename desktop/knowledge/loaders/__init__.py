"""From a file to its text with pages and headings."""
