"""What a person does to a piece of research while it runs: start it, pause it, add a remark, end it."""

import asyncio

from desktop.domain.research import Plan


class Control:
    """All of it happens on the asyncio thread."""

    def __init__(self) -> None:
        self._plan: asyncio.Future[Plan] | None = None
        self._goes_on = asyncio.Event()
        self._goes_on.set()
        self._asides: list[str] = []
        self.wants_answer = False
        """The person wants the answer now, from what there is."""

    @property
    def is_paused(self) -> bool:
        """Whether the next round waits."""
        return not self._goes_on.is_set()

    async def started_plan(self) -> Plan:
        """Wait until the person starts the research; return the plan as they left it."""
        self._plan = asyncio.get_running_loop().create_future()
        try:
            return await self._plan
        finally:
            self._plan = None

    def start(self, plan: Plan) -> None:
        """Start with a plan, edited or not."""
        if self._plan is not None and not self._plan.done():
            self._plan.set_result(plan)

    def pause(self) -> None:
        """Let the round that runs come to its end, and wait then."""
        self._goes_on.clear()

    def resume(self) -> None:
        """Go on."""
        self._goes_on.set()

    async def resumed(self) -> None:
        """Wait while the research is paused."""
        await self._goes_on.wait()

    def say(self, remark: str) -> None:
        """Add something that the rest of the research goes by."""
        if remark.strip():
            self._asides.append(remark.strip())

    def take_asides(self) -> tuple[str, ...]:
        """Return what was added since the last time."""
        taken, self._asides = tuple(self._asides), []
        return taken

    def finish(self) -> None:
        """Answer with what there is as soon as the running round is over; a pause ends."""
        self.wants_answer = True
        self._goes_on.set()
