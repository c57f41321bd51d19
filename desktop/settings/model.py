"""The settings as typed, frozen data. The defaults are those of a fresh installation."""

import uuid
from dataclasses import dataclass, field, replace
from typing import Annotated, Final, Literal

from msgspec import Meta

from desktop.domain.assistants import Assistant, Effort
from desktop.domain.drafts import SavedPrompt
from desktop.domain.knowledge import BUILT_IN_MODEL
from desktop.domain.models import NO_FACTS, QUOTES_MODEL, ModelFacts
from desktop.domain.procedures import Depth
from desktop.domain.search import WEB_AUTO, WEB_OFF, WIKIPEDIA, SafeSearch, TimeRange
from desktop.domain.serving import ServedTool
from desktop.domain.tools import Consent

PageMode = Literal["off", "cut", "passages"]
ProviderKind = Literal["openai", "openai-responses", "anthropic"]
"""The protocol: chat completions, Responses, Messages."""

Density = Literal["comfortable", "compact"]

PROXY_OF_SYSTEM = "system"
NO_PROXY = "none"

# Bounds are checked when a file is read; values outside of them are replaced by the default.
Count = Annotated[int, Meta(ge=1, le=50)]
ON_REQUEST: Final = "ask"
BY_WORDS: Final = "words"
ALWAYS: Final = "always"

Tokens = Annotated[int, Meta(ge=256)]
Zoom = Annotated[float, Meta(ge=0.25, le=5.0)]

LOCAL_RERANKER: Final = "local:"
"""Prefix of the id of a reranker that runs on this machine."""
LONGEST_NAME: Final = 60


@dataclass(frozen=True)
class OwnFacts:
    """Facts about a model set by the user; they override those of its server. `id` is the server's name of it."""

    id: str
    facts: ModelFacts = NO_FACTS


@dataclass(frozen=True)
class ProviderSettings:
    """A model server. Its key is the secret `provider/<id>`."""

    id: str
    name: str
    kind: ProviderKind
    base_url: str
    needs_key: bool = True
    is_enabled: bool = True
    models: tuple[str, ...] = ()
    """Models entered by hand, for servers that list none."""
    facts: tuple[OwnFacts, ...] = ()
    """Facts set by hand for single models."""


@dataclass(frozen=True)
class OwnEngine:
    """A search engine added by the user: `address` contains `%s` for the query and is also its id."""

    name: str
    address: str


@dataclass(frozen=True)
class SearchSettings:
    """How the web is searched and read. Keys of API engines are the secrets `search/<engine>`."""

    choice: str = WEB_AUTO
    engine_order: tuple[str, ...] = ("duckduckgo", "bing", WIKIPEDIA)
    result_count: Count = 5
    region: str = ""
    language: str = ""
    time_range: TimeRange = ""
    safe_search: SafeSearch = "moderate"
    own_engines: tuple[OwnEngine, ...] = ()
    browser_path: str = ""
    allowed_hosts: tuple[str, ...] = ()
    """Private hosts that page reading may connect to."""
    engine_addresses: tuple[tuple[str, str], ...] = ()
    """Other addresses for engines, by id: the user's own SearXNG, a mirror, a proxy of an API."""
    page_mode: PageMode = "passages"
    """The part of a page that goes to the model: all of it, its beginning, or the relevant passages."""
    page_service: str = WEB_AUTO
    """The service that reads pages which cannot be read locally: an id, off, or auto for one with a key."""
    include_sites: tuple[str, ...] = ()
    """Patterns of sites; if there are any, a result has to match one."""
    exclude_sites: tuple[str, ...] = ()
    """Patterns of sites whose results are left out."""
    fills_up: bool = False
    """Whether further engines are asked if the chosen one returns too few results."""
    block_lists: tuple[str, ...] = ()
    """Addresses of lists of sites to leave out, fetched again every day."""

    def asks_wikipedia(self, choice: str) -> bool:
        """Say whether Wikipedia is among the enabled engines, or is the `choice` of a question."""
        return choice != WEB_OFF and WIKIPEDIA in {choice, *self.engine_order}


@dataclass(frozen=True)
class OwnEmbedder:
    """An embedding server with OpenAI's API. Its key is the secret `embedding/<id>`.

    `dimensions` requests vectors of that length; 0 accepts the server's default. The prefixes are put before
    questions and passages, for models trained with such.
    """

    id: str
    name: str
    base_url: str
    model: str
    dimensions: Annotated[int, Meta(ge=0, le=16_384)] = 0
    query_prefix: str = ""
    passage_prefix: str = ""


@dataclass(frozen=True)
class OwnReranker:
    """A reranking server with the API of Jina, Cohere and SiliconFlow. Its key is the secret `rerank/<id>`."""

    id: str
    name: str
    base_url: str
    model: str


@dataclass(frozen=True)
class ChromaServer:
    """A Chroma server that stores vectors of bases. Its token is the secret `chroma/<id>`."""

    id: str
    name: str
    url: str
    tenant: str = "default_tenant"
    database: str = "default_database"


@dataclass(frozen=True)
class KnowledgeSettings:
    """How knowledge bases are filled and searched; `BaseOptions` override this for a single base."""

    passage_count: Count = 8
    base_ids: tuple[str, ...] = ()
    """The bases enabled in a new conversation, as keys of `Scope`s."""
    embedding_model: str = BUILT_IN_MODEL
    """Id of an `EmbeddingModel`: of the hub, of an own embedder, or the path of a folder."""
    own_embedders: tuple[OwnEmbedder, ...] = ()
    own_models: tuple[str, ...] = ()
    """Sentence Transformers models added by the user, by their id on the hub or the path of a folder."""
    hub: str = ""
    """Address of a mirror of the Hugging Face hub; empty means the hub itself, or HF_ENDPOINT."""
    passage_tokens: Annotated[int, Meta(ge=0, le=8_192)] = 0
    """Length of a passage in tokens of the embedding model; 0 uses the model's default."""
    reranker: str = ""
    """`local:` and the hub's id of a cross encoder, or the id of an own reranker; empty for none."""
    own_rerankers: tuple[OwnReranker, ...] = ()
    was_reranker_offered: bool = False
    """Whether the user was told about rerankers, which happens once: when a base has become large."""
    entailment_model: str = ""
    """The hub's id or folder of a model that judges whether a passage entails a claim; empty for none."""
    threshold: Annotated[float, Meta(ge=0, le=1)] = 0.35
    """Minimum score of a reranked passage."""
    floor: Annotated[float, Meta(ge=0, le=1)] = 0.35
    """Minimum score of a passage without reranking, as a share of the best score; 0 for no minimum."""
    chroma_servers: tuple[ChromaServer, ...] = ()
    reads_scans: bool = True
    """Whether pages without text go through OCR."""
    describer: str = ""
    """Id of the model that describes pictures in which OCR finds no text; empty for none."""


@dataclass(frozen=True)
class LocalModelSettings:
    """Models that llama.cpp runs on this computer."""

    files: tuple[str, ...] = ()
    """Paths of the user's own GGUF files, which stay where they are."""
    idle_minutes: Annotated[int, Meta(ge=1, le=1_440)] = 10
    """How long a model that is not asked stays in memory."""


@dataclass(frozen=True)
class MemorySettings:
    """Whether memories are used in conversations."""

    is_on: bool = True


@dataclass(frozen=True)
class ChatSettings:
    """Settings of requests to models."""

    assistant: str = ""
    """Id of the assistant of new conversations; empty for the default one."""
    model: str = QUOTES_MODEL
    small_model: str = ""
    """Model for deciding on and rewriting queries; empty means the one that answers."""
    decision_limit_s: Annotated[int, Meta(ge=2, le=120)] = 20
    """Timeout for the decision what to search, in seconds; shorter if the model is known to be faster."""
    names_with_model: bool = False
    """Whether a model names new conversations; it costs one request for each."""
    context_tokens: Tokens = 16_000
    answer_tokens: Tokens = 4_000
    effort: Effort = ""
    uses_tools: bool = True
    """Whether models may search and read on their own while they answer."""
    tool_rounds: Annotated[int, Meta(ge=1, le=100)] = 20
    """Rounds of tool calls after which a model has to answer."""
    tool_consents: tuple[tuple[str, Consent], ...] = ()
    """The user's lasting answers to tools that asked, by the names of server and tool."""
    checks_citations: Literal["ask", "words", "always"] = BY_WORDS
    """When the citations of an answer are checked; those of research are always checked. After every answer it is
    done without any model (`BY_WORDS`), once the answer is stored, or before that with the models of choice."""
    checks_with_model: bool = False
    """Whether a model makes the final decision on citations; it costs one request for each check."""


@dataclass(frozen=True)
class ResearchSettings:
    """Settings of research. With `depth` None questions are answered directly."""

    depth: Depth | None = None
    plans_shown: tuple[Depth, ...] = (Depth.THOROUGH,)
    """Depths for which the plan is shown, and started by the user, before anything is searched."""


@dataclass(frozen=True)
class NetworkSettings:
    """Which proxy each part uses: `system`, `none`, or an address such as socks5://127.0.0.1:1080.

    Name and password of a proxy are the secret `proxy/<part>`.
    """

    models: str = PROXY_OF_SYSTEM
    search: str = PROXY_OF_SYSTEM
    reading: str = PROXY_OF_SYSTEM
    mcp: str = PROXY_OF_SYSTEM
    backup: str = PROXY_OF_SYSTEM


@dataclass(frozen=True)
class BackupDestination:
    """A destination of backups besides this computer: a folder's path, a WebDAV address, or an S3 endpoint.

    Its password, or the secret key of the access key `user`, is the secret `backup/<id>`. `bucket` and `region`
    are for S3. Keys of written objects begin with `prefix`.
    """

    id: str
    name: str
    kind: Literal["folder", "webdav", "s3"]
    address: str
    user: str = ""
    bucket: str = ""
    region: str = "us-east-1"
    prefix: str = "footnote"
    is_enabled: bool = True
    every_hours: Annotated[int, Meta(ge=1, le=720)] = 24


@dataclass(frozen=True)
class BackupSettings:
    """Destinations of backups of conversations, memories and settings besides the data folder."""

    destinations: tuple[BackupDestination, ...] = ()


@dataclass(frozen=True)
class CitedPageSettings:
    """Whether the web pages that answers cite are kept."""

    keeps: Literal["always", "days", "never"] = "always"
    """`days` deletes a page that many days after it was read; `never` keeps none from now on."""
    days: Annotated[int, Meta(ge=1, le=3_650)] = 365
    keeps_files: bool = False
    """Whether what the server sent is kept, too, compressed."""


@dataclass(frozen=True)
class McpServer:
    """A tool server: a program to start, or an address. One of the two is empty.

    Secret values of its environment are the secrets `mcp/<id>/<name>`, named in `secret_names`; the token for
    an address is the secret `mcp/<id>`.
    """

    id: str
    name: str
    command: tuple[str, ...] = ()
    url: str = ""
    environment: tuple[tuple[str, str], ...] = ()
    secret_names: tuple[str, ...] = ()
    is_enabled: bool = True
    timeout_s: Annotated[float, Meta(ge=1, le=3_600)] = 60.0


@dataclass(frozen=True)
class ServingSettings:
    """What other programs may use of Footnote (`footnote mcp`): nothing at first.

    The token of the server on loopback is the secret `serving`.
    """

    tools: tuple[ServedTool, ...] = ()
    bases: tuple[str, ...] = ()
    """Ids of the bases that are open to others."""


@dataclass(frozen=True)
class WindowSettings:
    """The appearance of the window. `language` is a locale name such as zh_CN; empty follows the system."""

    language: str = ""
    theme: Literal["system", "light", "dark"] = "system"
    accent: str = ""
    """A colour such as #2f5bd0, lightened or darkened until it is legible; empty for Footnote's own."""
    font: str = ""
    """A font family for the window and the conversation; empty for the system's."""
    text_size: Zoom = 1.0
    """Text size of the window, relative to the system's."""
    density: Density = "comfortable"
    motion: Literal["system", "less"] = "system"
    """Whether animations are reduced; `system` follows the system."""
    zoom: Zoom = 1.0
    """Zoom factor of the conversation."""
    page_style: str = ""
    """The user's CSS for the conversation; rules that would load something are removed where it is used."""
    has_drawings: bool = True
    """Whether blocks of Mermaid, SVG and HTML are shown as drawings."""
    shortcuts: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """The user's shortcuts by the action's id; an empty tuple removes an action's shortcuts."""
    sends_on_enter: bool = True
    paste_limit: Annotated[int, Meta(ge=0)] = 10_000
    """Pasted text with more characters is attached as a file; 0 always keeps it in the message."""
    last_base: str = ""
    """Id of the knowledge base to which something of an answer was added last; it is offered first."""


@dataclass(frozen=True)
class ProgramSettings:
    """Settings of startup, tray and notifications."""

    has_tray: bool = True
    stays_in_tray: bool = False
    """Whether closing the window leaves the program running in the tray, if there is one."""
    reopens: bool = True
    """Whether the program starts with the conversation that was open when it ended."""
    notifies: bool = True
    """Whether desktop notifications are shown for finished work while the window is not active."""
    quick_keys: str = ""
    """The system-wide shortcut of the quick window, as Qt writes keys; empty for none."""
    checks_updates: bool = True
    """Whether the project's page is asked once a day for the newest version."""
    update_address: str = ""
    """What is asked instead of the address that the project names."""
    unpacks_image: bool = True
    """Whether an AppImage keeps an unpacked copy of itself, from which it starts several times faster."""


@dataclass(frozen=True)
class Settings:
    """All settings of the user, except secrets."""

    chat: ChatSettings = field(default_factory=ChatSettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    research: ResearchSettings = field(default_factory=ResearchSettings)
    knowledge: KnowledgeSettings = field(default_factory=KnowledgeSettings)
    memory: MemorySettings = field(default_factory=MemorySettings)
    local_models: LocalModelSettings = field(default_factory=LocalModelSettings)
    window: WindowSettings = field(default_factory=WindowSettings)
    program: ProgramSettings = field(default_factory=ProgramSettings)
    network: NetworkSettings = field(default_factory=NetworkSettings)
    backup: BackupSettings = field(default_factory=BackupSettings)
    cited_pages: CitedPageSettings = field(default_factory=CitedPageSettings)
    providers: tuple[ProviderSettings, ...] = ()
    mcp_servers: tuple[McpServer, ...] = ()
    serving: ServingSettings = field(default_factory=ServingSettings)
    assistants: tuple[Assistant, ...] = ()
    """The user's own assistants, and built-in ones that the user changed."""
    removed_assistants: tuple[str, ...] = ()
    """Ids of built-in assistants that the user removed."""
    prompts: tuple[SavedPrompt, ...] = ()
    """Saved prompts, in the order in which they are offered."""
    was_welcomed: bool = False


def with_plan_shown(settings: Settings, depth: Depth, *, is_shown: bool) -> Settings:
    """Return `settings` in which plans of a depth are, or are not, shown before the search."""
    others = [shown for shown in settings.research.plans_shown if shown != depth]
    shown = (*others, depth) if is_shown else tuple(others)
    return replace(settings, research=replace(settings.research, plans_shown=shown))


def new_prompt(text: str, name: str = "") -> SavedPrompt:
    """Return a prompt; without a `name` its first line becomes the name."""
    first = next(iter(text.strip().splitlines()), "")
    short = first if len(first) <= LONGEST_NAME else f"{first[: LONGEST_NAME - 1].rstrip()}…"
    return SavedPrompt(uuid.uuid4().hex, name or short, text)


def with_prompt(settings: Settings, prompt: SavedPrompt) -> Settings:
    """Return `settings` with a prompt that replaces the one with its id, or is appended."""
    if any(each.id == prompt.id for each in settings.prompts):
        prompts = tuple(prompt if each.id == prompt.id else each for each in settings.prompts)
    else:
        prompts = (*settings.prompts, prompt)
    return replace(settings, prompts=prompts)


def without_prompt(settings: Settings, prompt_id: str) -> Settings:
    """Return `settings` without a prompt."""
    return replace(settings, prompts=tuple(each for each in settings.prompts if each.id != prompt_id))


def put_back(settings: Settings, prompt: SavedPrompt, place: int) -> Settings:
    """Return `settings` with a removed prompt put back at index `place`."""
    others = without_prompt(settings, prompt.id).prompts
    return replace(settings, prompts=(*others[:place], prompt, *others[place:]))
