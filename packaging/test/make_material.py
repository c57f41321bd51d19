"""Writes the files that scripts/test-dist asks about: a text, a scan (a PDF that is a picture), a Chinese text, a tool server."""

import sys
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

_SERVER = '''\
"""A tool server on stdin and stdout. The description of its tool is the environment that it was started with."""
import json, os, sys
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    if message["method"] == "initialize":
        result = {"protocolVersion": message["params"]["protocolVersion"], "capabilities": {"tools": {}},
                  "serverInfo": {"name": "harbour", "version": "1"}}
    else:
        names = " ".join(sorted(os.environ))
        result = {"tools": [{"name": "depth", "description": names, "inputSchema": {"type": "object"}}]}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
'''


def main() -> None:
    """Write them into the folder that is named."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "harbour.txt").write_text(
        "The old harbour of Velmora silted up in 1790. Ships went to Trennick instead.\n", "utf-8"
    )
    (folder / "海港.txt").write_text(
        "青石港建于1887年，由工程师陆文远设计。港口的灯塔高四十二米。\n", "utf-8"
    )
    (folder / "server.py").write_text(_SERVER, "utf-8")
    page = Image.new("L", (1240, 900), 255)
    draw = ImageDraw.Draw(page)
    font = ImageFont.load_default(size=44)
    for row, line in enumerate(
        ("Report of the harbour office", "", "The lighthouse of Arnsund was built in 1874.")
    ):
        draw.text((100, 120 + row * 80), line, fill=0, font=font)
    page.save(folder / "scan.pdf", resolution=150)


if __name__ == "__main__":
    main()
