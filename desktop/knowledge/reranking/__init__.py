"""Second opinions on what was found: a model that reads query and passage together, here or behind an API."""
