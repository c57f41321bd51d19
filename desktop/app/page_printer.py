"""A process that prints an HTML document on stdin to PDF on stdout, without a window: `footnote … --format png`.

    python -m desktop.app.page_printer WIDTH

WIDTH is that of a picture, in pixels of the page.
"""

import os
import sys

from PySide6.QtCore import QMarginsF

from desktop.app.launcher import make_application

FAILED = 1


def main() -> int:
    """Print the document and return the exit status."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    width = int(sys.argv[1])
    html = sys.stdin.buffer.read()
    application = make_application()
    from desktop.ui.transcript.file_saver import picture_paper  # noqa: PLC0415 (same)
    from desktop.ui.transcript.pdf_printer import PdfPrinter  # noqa: PLC0415 - Qt needs its application first

    printed: list[bytes] = []
    printer = PdfPrinter(html, picture_paper(width), application, QMarginsF())
    printer.printed.connect(printed.append)
    printer.printed.connect(application.quit)
    printer.failed.connect(application.quit)
    printer.start()
    application.exec()
    sys.stdout.buffer.write(b"".join(printed))
    sys.stdout.buffer.flush()
    return 0 if printed else FAILED


if __name__ == "__main__":
    sys.exit(main())
