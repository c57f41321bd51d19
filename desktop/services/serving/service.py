"""For the window: what other programs asked, the token of the server on loopback, and how others start Footnote."""

import asyncio
import json
import secrets
from typing import Any, Final

from filelock import Timeout
from typing_extensions import override

from desktop.chat.api.system import Serving
from desktop.domain.serving import Client, ServedRequest
from desktop.errors import StorageUnavailable, plain_reason
from desktop.installation import installation
from desktop.settings.folders import AppFolders, is_found_without_options
from desktop.settings.secrets import SecretStore
from desktop.storage.served_log import FILE_NAME, ServedRequestLog

_TOKEN = "serving"  # noqa: S105 - the name of the secret that holds the token
DEFAULT_PORT: Final = 7391

_NAME = "footnote"
_SHOWN_REQUESTS = 200
_TOKEN_BYTES = 32


class ServingService(Serving):
    """Reads the log of the requests and the configuration of other programs."""

    def __init__(self, folders: AppFolders, store: SecretStore) -> None:
        self._folders = folders
        self._secrets = store
        self.log = ServedRequestLog(folders.data / FILE_NAME)

    @property
    @override
    def address(self) -> str:
        return f"http://127.0.0.1:{DEFAULT_PORT}/mcp"

    @override
    async def requests(self) -> tuple[ServedRequest, ...]:
        try:
            return await asyncio.to_thread(self.log.recent, _SHOWN_REQUESTS)
        except OSError as error:
            raise StorageUnavailable(path=self._folders.data, detail=plain_reason(error)) from error

    @override
    async def clear(self) -> None:
        try:
            await asyncio.to_thread(self.log.clear)
        except (OSError, Timeout) as error:
            raise StorageUnavailable(path=self._folders.data, detail=plain_reason(error)) from error

    @override
    async def token(self, *, is_new: bool = False) -> str:
        """Return the token; it is made when it is first needed, or anew."""
        token = "" if is_new else await self._secrets.secret(_TOKEN)
        if not token:
            token = secrets.token_urlsafe(_TOKEN_BYTES)
            await self._secrets.set_secret(_TOKEN, token)
        return token

    @override
    def configuration(self, client: Client) -> str:
        command, *arguments = installation().client_command
        arguments.append("mcp")
        if not is_found_without_options(self._folders):
            arguments += ["--data-dir", str(self._folders.data)]
        start: dict[str, Any] = {"command": command, "args": arguments}
        if client is Client.VS_CODE:
            document = {"servers": {_NAME: {"type": "stdio", **start}}}
        elif client is Client.CHERRY_STUDIO:
            document = {
                "mcpServers": {_NAME: {"name": "Footnote", "type": "stdio", "isActive": True, **start}}
            }
        else:
            document = {"mcpServers": {_NAME: start}}
        return json.dumps(document, ensure_ascii=False, indent=2)
