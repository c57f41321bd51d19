"""Pictures for `--format png`: the page is printed in a process of its own, because only the window knows Qt."""

import subprocess

from desktop.domain.messages import Conversation
from desktop.installation import module_command, own_environment
from desktop.render.export.picture import (
    MOST_HEIGHT,
    DrawnPicture,
    PictureLook,
    PictureTooLong,
    picture_page_of,
)
from desktop.render.labels import Labels

_PRINT_S = 300


def picture_of(conversation: Conversation, labels: Labels, look: PictureLook) -> DrawnPicture:
    """Return a conversation as a picture.

    Raises:
        ValueError: it cannot be laid out, or is too long.
    """
    from desktop.render.export.picture_drawing import draw_picture  # noqa: PLC0415 - it loads NumPy

    html = picture_page_of(conversation, labels, look)
    command = module_command("desktop.app.page_printer", str(look.width))
    try:
        done = subprocess.run(
            command, input=html, env=own_environment(), capture_output=True, timeout=_PRINT_S, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise ValueError("the picture took too long to lay out: use --format html instead") from error
    if done.returncode:
        lines = done.stderr.decode(errors="replace").strip().splitlines()
        raise ValueError(
            f"the picture could not be laid out ({lines[-1] if lines else done.returncode}): use --format html instead"
        )
    try:
        steps = list(draw_picture(done.stdout, look))
    except PictureTooLong as error:
        raise ValueError(
            f"a picture is at most {MOST_HEIGHT} pixels high: use --format html instead"
        ) from error
    picture = steps[-1]
    assert isinstance(picture, DrawnPicture)
    return picture
