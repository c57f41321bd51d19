"""Requests of other programs in memory."""

from desktop.domain.serving import Client, ServedRequest


class FakeServing:
    def __init__(self) -> None:
        self.address = "http://127.0.0.1:7391/mcp"
        self.asked: tuple[ServedRequest, ...] = ()
        self.tokens = ["first token"]

    async def requests(self) -> tuple[ServedRequest, ...]:
        return self.asked

    async def clear(self) -> None:
        self.asked = ()

    async def token(self, *, is_new: bool = False) -> str:
        if is_new:
            self.tokens.append("second token")
        return self.tokens[-1]

    def configuration(self, client: Client) -> str:
        return f'{{"for": "{client}"}}'
