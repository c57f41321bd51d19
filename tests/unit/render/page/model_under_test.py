"""A page model with a transcript of its own, as the chat session has one."""

from desktop.domain.transcript import NOTHING_SHOWN, Transcript
from desktop.render.page.page_model import PageModel


class PageModelUnderTest(PageModel):
    """Takes messages and events, and hands over the transcript with them."""

    def __init__(self, labels):
        super().__init__(labels)
        self.transcript = NOTHING_SHOWN

    def open(self, messages, sources):
        self.transcript = Transcript.of(messages, sources)
        return self.show(self.transcript)

    def apply(self, events):
        for event in events:
            self.transcript = self.transcript.after(event)
        return super().apply(events, self.transcript)
