"""Footnote: a desktop chat client whose answers carry their sources."""

import os

__version__ = "0.1.0"

# Else onnxruntime keeps an id of the device in the user's cache, and sends events with it to its maker.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
