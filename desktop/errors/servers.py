"""Errors of servers: of models, embeddings, Chroma and tools, and of the tools that Footnote offers to other programs."""

from collections.abc import Mapping
from typing import ClassVar

from desktop.errors import AppError, KnowledgeError
from desktop.phrases import IN_MODELS, IN_TOOLS, translatable

_LATER = translatable("Try again later.")
_WAIT = translatable("Try again in {seconds} s.")


class ProviderError(AppError):
    """A request to a model's server failed.

    `may_retry` means that a retry may well succeed a little later, `retry_after_s` after how many seconds, if
    the server said so.
    """

    may_retry: bool = False
    retry_after_s: float | None = None


class AuthFailed(ProviderError):
    """The key was refused."""

    template = "{provider} did not accept the API key. Check it {in_settings}. {detail}"
    constants: ClassVar[Mapping[str, str]] = IN_MODELS


class ModelNotFound(ProviderError):
    """The model or the address does not exist on this server."""

    template = "{provider} does not recognize the model or address. Check both {in_settings}. {detail}"
    constants: ClassVar[Mapping[str, str]] = IN_MODELS


class ModelUnknown(ModelNotFound):
    """A model belongs to no provider that Footnote knows."""

    template = (
        "There is no model “{model}”. Known providers: {known}. "
        "Run “footnote models list” to see the models on this computer."
    )


class RateLimited(ProviderError):
    """Too many requests; `retry_after_s` is None if the server did not say."""

    template = "{provider} is receiving too many requests. {advice} {detail}"
    is_transient = True

    def __init__(self, *, provider: str, retry_after_s: float | None, detail: str = "") -> None:
        """Format the server's Retry-After as words."""
        self.retry_after_s = retry_after_s
        advice = _LATER if retry_after_s is None else _WAIT.format(seconds=round(retry_after_s))
        super().__init__(provider=provider, advice=advice, detail=detail)


class QuotaExceeded(ProviderError):
    """The account has no credit left."""

    template = "Your {provider} account is out of credit. Add credit, or choose another model. {detail}"


class ContextTooLong(ProviderError):
    """The request exceeds the context size of the model."""

    template = "The chat is too long for this model at {provider}. Start a new chat, or choose another model. {detail}"


class RequestRejected(ProviderError):
    """The server refused this request."""

    template = "{provider} refused the request. {detail}"


class ToolsRefused(ProviderError):
    """The model does not support tools; requests without tools work."""

    template = "This model at {provider} does not support tools. {detail}"


class ProviderDown(ProviderError):
    """The server could not be reached or failed."""

    template = "{provider} can’t be reached. Check its address and your connection. {detail}"
    is_transient = True


class ProviderNotRunning(ProviderDown):
    """Nothing listens at the address of a server on this computer."""

    template = "{provider} isn’t running on this computer. Start it, or check its address. {detail}"


class ProviderFailing(ProviderDown):
    """The server responded with an error of its own."""

    template = "{provider} isn’t working at the moment. Try again later. {detail}"


class ServiceOverloaded(ProviderError):
    """The server is overloaded."""

    template = "{provider} is overloaded. Try again in a few minutes, or choose another model. {detail}"
    is_transient = True


class EmptyAnswer(ProviderError):
    """The model ended without any text."""

    template = "The model {model} did not write an answer. {reason} Try again, or choose another model."
    is_transient = True


class ProviderTimedOut(ProviderError):
    """The server did not answer in time."""

    template = "{provider} did not answer in time. Check your connection, or try again later. {detail}"
    is_transient = True


class StreamBroken(ProviderError):
    """The connection broke during a response."""

    template = "The connection to {provider} was lost during the answer. Try again. {detail}"
    is_transient = True


class ProviderGarbage(ProviderError):
    """The server's response does not follow the protocol."""

    template = "{provider} sent a reply that Footnote can’t read. Check the address {in_settings}. {detail}"
    constants: ClassVar[Mapping[str, str]] = IN_MODELS


class LocalModelError(ProviderError):
    """A model could not run on this computer."""


class LocalModelUnusable(LocalModelError):
    """The file of a model is missing, damaged, or of another kind."""

    template = "“{model}” can’t be used: {detail}."


class LocalModelNotDeleted(LocalModelError):
    """The system refuses to delete the file of a model."""

    template = "“{model}” couldn’t be deleted: {detail}."


class LocalModelUnknown(LocalModelError):
    """No model of this computer has this name."""

    template = "There is no model “{model}”. Run “footnote models list” to see all models."


class LocalEngineMissing(LocalModelError):
    """The package with llama.cpp is not installed."""

    template = "“{model}” can’t run because llama.cpp is not installed. {advice} Or choose another model."


class NotEnoughMemory(LocalModelError):
    """A model does not fit into the free memory."""

    template = (
        "“{model}” needs about {needed} GB of memory, but only {free} GB is free. Close other programs, "
        "or choose a smaller model."
    )


class LocalModelStopped(LocalModelError):
    """The process of a model ended while it was loading or answering."""

    template = "“{model}” stopped unexpectedly. {detail} Try again, or choose another model."


class McpError(AppError):
    """An error of a tool server."""


class ServerNotStarted(McpError):
    """The program is missing or exited at once."""

    template = "The tool server “{server}” couldn’t be started. {detail}"


class ServerNotConnected(ServerNotStarted):
    """There is no tool server at an address, or it cannot be reached."""

    template = "Couldn’t connect to the tool server “{server}”. Check its address {in_settings}. {detail}"
    constants: ClassVar[Mapping[str, str]] = IN_TOOLS


class ServerWantsSignIn(McpError):
    """The server wants the user to sign in, and there is no valid sign-in."""

    template = "The tool server “{server}” requires you to sign in. Sign in at Settings > Tools. {detail}"


class ServerGone(McpError):
    """The server crashed, or the connection broke."""

    template = "The tool server “{server}” has stopped. {detail}"
    is_transient = True


class ServerRefused(McpError):
    """The server responded with an error."""

    template = "The tool server “{server}” returned an error. {detail}"


class ServingError(AppError):
    """A request of another program to Footnote failed."""


class ToolNotOpen(ServingError):
    """The user has not opened the tool to other programs."""

    template = (
        "“{tool}” is not open to other programs. Open it in Settings > Other programs, or with "
        "footnote mcp --tool."
    )


class BaseNotOpen(ServingError):
    """There is no such base, or the user has not opened it; the message does not tell which."""

    template = (
        "No knowledge base “{base}” is open to other programs. Open one in Settings > Other programs, "
        "or with footnote mcp --allow."
    )


class ArgumentsRejected(ServingError):
    """The arguments of a call cannot be used."""

    template = "The arguments are not valid: {detail}"


class TooManyCalls(ServingError):
    """The queue of calls is full."""

    template = "Too many calls are waiting ({count}). Try again later."
    is_transient = True


class UnknownResource(ServingError):
    """There is no such file in the bases that are open to others."""

    template = "No file “{uri}” is open to other programs."


class PortTaken(ServingError):
    """The port of the server on loopback cannot be used."""

    template = "Port {port} of this computer can’t be used ({detail}). Choose another with --port."


class EmbedderRefused(KnowledgeError):
    """An embedding server refused a request, or its response contains no valid vectors."""

    template = "The embedding server “{server}” can’t be used. {detail}"


class EmbedderDown(KnowledgeError):
    """An embedding server cannot be reached, is busy or failing."""

    template = "The embedding server “{server}” does not respond. {detail}"
    is_transient = True


class ChromaDown(KnowledgeError):
    """A Chroma server cannot be reached, is busy or failing."""

    template = "The Chroma server “{server}” does not respond. {detail}"
    is_transient = True
