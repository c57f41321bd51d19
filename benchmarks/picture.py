"""What a picture of a long answer takes: its size, processor time and memory.

    python -m benchmarks.picture [--parts N]

An answer of N parts, each about half a screen with text in English and Chinese, a table, code and maths, is printed as by
`footnote render --format png` and drawn in this process. The memory of the web engine is not counted.
"""

import argparse
import resource
import subprocess
import time

from desktop.cli.output.exports import answer_of
from desktop.installation import module_command, own_environment
from desktop.render.export.picture import DrawnPicture, PictureLook, picture_page_of
from desktop.render.export.picture_drawing import draw_picture
from desktop.render.labels import EN

_PART = """## Part {number}

The Moon causes the tides, twice a day, and the Sun makes them higher at full and new moon. 潮汐由月球引力引起，每天两次。

| place | range |
| - | -: |
| Bay of Fundy | 16.3 m |
| Brest | 6.1 m |

```python
for hour in range(24):
    print(hour, height(hour))  # 高度
```

$$h(t) = \\sum_i A_i \\cos(\\omega_i t + \\varphi_i)$$

1. High water follows the Moon.
2. Low water lies between.

"""


def measure(parts: int) -> None:
    """Print what one picture takes."""
    text = "".join(_PART.format(number=number) for number in range(parts))
    look = PictureLook()
    html = picture_page_of(answer_of(text, "Tides", ()), EN, look)
    printing = time.monotonic()
    pdf = subprocess.run(
        module_command("desktop.app.page_printer", str(look.width)),
        input=html,
        env=own_environment(),
        capture_output=True,
        check=True,
    ).stdout
    printed_s = time.monotonic() - printing
    before, spent = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    picture = list(draw_picture(pdf, look))[-1]
    assert isinstance(picture, DrawnPicture)
    drawn_s = time.process_time() - spent
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(
        f"{picture.width} x {picture.height} pixels, {len(picture.data) / 1e6:.1f} MB; printed in {printed_s:.1f} s, "
        f"drawn with {drawn_s:.1f} s of processor time and {peak / 1024:.0f} MB of memory"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--parts", type=int, default=200)
    measure(parser.parse_args().parts)
