"""Footnote: a desktop chat client whose answers carry their sources."""

import os
import sys
from types import ModuleType

__version__ = "0.1.0"

# Else onnxruntime keeps an id of the device in the user's cache, and sends events with it to its maker.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

# Else httpx imports its command line where click and rich are installed, which come with other packages: 5 MB and 45 ms.
sys.modules.setdefault("httpx._main", ModuleType("httpx._main"))
