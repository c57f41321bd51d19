"""Embedding models: which there are, how they come here, and how texts become vectors with them."""
