"""A page with a transcript of its own, as the chat session has one."""

from desktop.domain.transcript import NOTHING_SHOWN, Transcript
from desktop.ui.transcript.transcript_view import TranscriptView


class ViewUnderTest(TranscriptView):
    """Takes messages and events, and hands over the transcript with them."""

    transcript = NOTHING_SHOWN

    def open_conversation(self, messages, sources):
        self.transcript = Transcript.of(messages, sources)
        self.show_transcript(self.transcript)

    def apply(self, event):
        self.transcript = self.transcript.after(event)
        super().apply(event, self.transcript)
