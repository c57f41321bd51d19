"""What parts work with at a second place to talk: what is shared is shared, the talk is its own."""

from PySide6.QtCore import QObject, SignalInstance
from PySide6.QtWidgets import QWidget

from desktop.ui.asking import Asking
from desktop.ui.assistant_desk import AssistantDesk
from desktop.ui.composer import Composer
from desktop.ui.conversation_desk import ConversationDesk
from desktop.ui.core import Core
from desktop.ui.notice_bar import NoticeBar
from desktop.ui.remembering import Remembering
from desktop.ui.stage import Stage


class SecondCore(Core):
    """For parts that need no more than composer, page, notices and desk: sidebar and actions are the window's."""

    def __init__(
        self, core: Core, window: QWidget, *, composer: Composer, stage: Stage, notices: NoticeBar
    ) -> None:
        QObject.__init__(self, window)  # nothing that is shared is made anew
        vars(self).update(
            {name: value for name, value in vars(core).items() if not isinstance(value, SignalInstance)}
        )
        self.window = window
        self.composer, self.stage, self.notices = composer, stage, notices
        self.desk = ConversationDesk(core.engine, core.loop, self)
        self.asking = Asking(composer, self.desk)
        self.assistants = AssistantDesk(core.store, core.library, self.desk)
        self.remembering = Remembering(
            core.engine.memories,
            core.loop,
            asking=self.asking,
            composer=composer,
            desk=self.desk,
            store=core.store,
        )
        core.ending.connect(self.ending)
        for part in (self.desk, self.remembering):
            part.failed.connect(notices.say_failed)
        for teller in (self.assistants, self.remembering, stage):
            teller.noticed.connect(notices.say)
