"""The process of the bundled models, as it is where the network is damaged."""

from desktop.errors import ModelUnusable
from desktop.knowledge import bundled_models


def _load():
    raise ModelUnusable(model="entailment", detail="It is damaged")


if __name__ == "__main__":
    bundled_models.load_pair_model = _load
    bundled_models.main()
