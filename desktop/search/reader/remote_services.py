"""Lets a service read pages that cannot be read locally: Tavily's extract or Jina's reader."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

import httpx

from desktop.domain.search import WEB_AUTO, PageStatus, SearchStatus, WebPage
from desktop.phrases import sentences, translatable
from desktop.search.apis import PAGE_SERVICES
from desktop.search.apis.client import ApiAccess, ApiService, ServiceFailed, call_service
from desktop.search.apis.model import PageApi
from desktop.search.ssrf_guard import AddressRefused, HostUnknown, SsrfGuard
from desktop.settings.model import SearchSettings
from desktop.settings.secrets import KeyCooldown

TIMEOUT_S = 20.0

_WORTH_ASKING = frozenset(
    {PageStatus.BLOCKED, PageStatus.EMPTY, PageStatus.FAILED, PageStatus.TIMED_OUT, PageStatus.UNSUPPORTED}
)
"""Excludes refused and missing pages, and failures of this machine's own network."""

_READ_BY = translatable("Read by {service}, because it couldn’t be read from this computer.")
_NOT_READ = translatable("{service} couldn’t read the page either.")


@dataclass(frozen=True)
class PageServices:
    """Calls the service that the user chose, or by default one that has a key.

    Addresses of private networks are never sent to a remote service, not even those that the user may read.
    """

    settings: Callable[[], SearchSettings]
    secret: Callable[[str], Awaitable[str]]
    client: httpx.AsyncClient
    guard: SsrfGuard = field(default_factory=SsrfGuard)
    rests: KeyCooldown = field(default_factory=KeyCooldown)

    async def improve(self, page: WebPage) -> WebPage:
        """Return `page` as read by a service, or else unchanged with the service's message added."""
        if page.status not in _WORTH_ASKING:
            return page
        service, secret = await self._service()
        if service is None or not await self._is_public(page.url):
            return page
        return await self._ask(service, secret, page)

    async def _ask(self, service: PageApi, secret: str, page: WebPage) -> WebPage:
        base = dict(self.settings().engine_addresses).get(f"{service.id}-pages", "")
        answer = await call_service(
            ApiService(
                service.id,
                service.name,
                service.base,
                service.needs_key,
                lambda key: service.request(page.url, key),
            ),
            ApiAccess(self.client, secret, base, TIMEOUT_S, self.rests),
        )
        if isinstance(answer, ServiceFailed):
            is_of_key = answer.status in {SearchStatus.BLOCKED, SearchStatus.OFFLINE}
            words = answer.error if is_of_key else _NOT_READ.format(service=service.name)
            return replace(page, error=sentences((page.error, words)))
        found = service.read(answer)
        if found is None or not found.text:
            return replace(page, error=sentences((page.error, _NOT_READ.format(service=service.name))))
        return WebPage(
            PageStatus.READ,
            page.url,
            found.title if found.title != found.url else page.title,
            found.text,
            page.author,
            found.published or page.published,
            notes=(_READ_BY.format(service=service.name),),
        )

    async def _service(self) -> tuple[PageApi | None, str]:
        """Return the service to call, and its key."""
        choice = self.settings().page_service
        for service in PAGE_SERVICES.values():
            if choice in {service.id, WEB_AUTO}:
                secret = await self.secret(f"search/{service.id}")
                if secret or (choice == service.id and not service.needs_key):
                    return service, secret
        return None, ""

    async def _is_public(self, url: str) -> bool:
        try:
            target = self.guard.check_url(url)
            await self.guard.addresses(target.raw_host.decode("ascii"), target.port or 443)
        except (AddressRefused, HostUnknown):
            return False
        return True
