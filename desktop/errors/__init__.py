"""The error hierarchy: expected failures, each with a message for the user.

`str(error)` says what happened and what to do. Below `AppError` there is one branch for each part of the
program: `SettingsError`, `StorageError`, `ExportError`, `SearchError`, `KnowledgeError`, `ProviderError`,
`McpError`, `ServingError`; the last three are in `servers`. An error with `is_transient` may disappear on a retry.

Bugs are not AppErrors. Every adapter translates foreign exceptions into these in one function, with
`plain_reason`.
"""

import re
from collections.abc import Mapping
from functools import partial
from typing import ClassVar

from desktop.phrases import IN_KNOWLEDGE, IN_NETWORK, IN_SETTINGS, TranslatableMessage

_NO_TEXT = re.compile("[\ud800-\udfff]")


def _clean(value: object) -> object:
    """Return a value that can be stored and sent: names of files may contain undecodable bytes."""
    if not isinstance(value, str) or not _NO_TEXT.search(
        value
    ):  # str subclasses, such as enums, keep their type
        return value
    if isinstance(value, TranslatableMessage):
        return value.map_texts(partial(_NO_TEXT.sub, "\ufffd"))
    return _NO_TEXT.sub("\ufffd", value)


class AppError(Exception):
    """An expected failure. `template` is English text with named fields; `constants` are fields of the whole class."""

    template: ClassVar[str] = "{detail}"
    constants: ClassVar[Mapping[str, str]] = {}
    is_transient: ClassVar[bool] = False

    def __init__(self, **fields: object) -> None:
        """Store `fields`; every name in `template` must be among them."""
        self.fields = {name: _clean(value) for name, value in fields.items()}
        super().__init__(TranslatableMessage(self.template, {**self.constants, **self.fields}))


class InternalError(AppError):
    """A bug, reported where the user has to know that something failed; the log has the details."""

    template = "An internal error occurred ({detail})."


_NUMBER = re.compile(r"\[(?:Errno|WinError) -?\d+\]\s*")


def plain_reason(error: BaseException, *, within_sentence: bool = False) -> str:
    """Return the message of a system or library error, without its error number; in small letters `within_sentence`."""
    if isinstance(error, OSError) and error.strerror:
        words = _NUMBER.sub("", error.strerror)
        words = words.lower() if within_sentence else words
        return words if "{" in words else TranslatableMessage(words)  # a template would have fields
    if isinstance(said := str(error), TranslatableMessage):
        return said
    words = _NUMBER.sub("", said) or type(error).__name__
    return words.lower() if within_sentence else words


class SettingsError(AppError):
    """An error in settings or keys."""


class SettingsUnreadable(SettingsError):
    """The settings file was damaged and has been set aside."""

    template = (
        "The settings file can’t be read ({detail}). Footnote kept it as {kept_as} and uses the default "
        "settings."
    )


class SettingRejected(SettingsError):
    """A setting has a value that this version does not know; it stays in the file."""

    template = "The setting {name} is not valid ({detail}), so its default is used."


class SettingsNotSaved(SettingsError):
    """The settings could not be written."""

    template = "The settings couldn’t be saved ({detail}). The settings saved earlier are unchanged."


class MissingKey(SettingsError):
    """A service needs a key that is missing."""

    template = "{service} needs an API key. Add one {in_settings}."
    constants: ClassVar[Mapping[str, str]] = IN_SETTINGS


class GlobalKeyUnavailable(SettingsError):
    """The desktop offers no system-wide shortcuts."""

    template = (
        "The shortcut {keys} can’t be used for the quick window. {detail} You can assign a shortcut to "
        "the command “footnote --quick” in your desktop’s settings."
    )


class LoginStartFailed(SettingsError):
    """The system did not add or remove the autostart entry."""

    template = "Starting Footnote at login couldn’t be changed: {detail}"


class PortableFolderUnusable(SettingsError):
    """The portable data folder beside the program cannot be written to."""

    template = (
        "The folder {folder} next to the program is meant for your data but is read-only. Make it "
        "writable, rename it, or choose another folder with --data-dir."
    )


class UpdateUnknown(SettingsError):
    """It is not known whether there is a newer version."""


class AssistantsUnreadable(SettingsError):
    """A file of assistants is invalid; none of it was imported."""

    template = "No assistants could be imported from “{name}”. {detail}"


class UnknownAssistant(SettingsError):
    """There is no assistant with this name."""

    template = "There is no assistant “{assistant}”. Available: {known}."


class ProxyUnusable(SettingsError):
    """The address of a proxy is invalid."""

    template = "The proxy address “{address}” is not valid: {detail}. Check it {in_settings}."
    constants: ClassVar[Mapping[str, str]] = IN_NETWORK


class NotReached(SettingsError):
    """A connection test failed."""

    template = "{host} can’t be reached. {detail}"


class StaysHere(SettingsError):
    """Data of a conversation that is kept on this machine would have left it."""

    template = (
        "This chat stays on this computer, so {host} was not contacted. Choose a model on this computer, or "
        "turn off “Keep this chat on this computer”."
    )


class KeyringUnavailable(SettingsError):
    """The system has no usable keyring."""

    template = (
        "This system has no keyring ({detail}). Footnote keeps API keys until it closes and does not "
        "save them to disk."
    )


class ServerUnusable(SettingsError):
    """The configuration of a tool server is invalid."""

    template = "This is not a valid tool server. {detail}"


class ExportError(AppError):
    """An error in files that the user exports."""


class NotExported(ExportError):
    """A file could not be created or written; an existing file of that name is unchanged."""

    template = "“{name}” couldn’t be saved. {detail}"


class StorageError(AppError):
    """Conversations cannot be read or written."""


class DatabaseTooNew(StorageError):
    """The database was written by a newer Footnote."""

    template = (
        "{path} was saved by a newer version of Footnote. Update Footnote to open it. The file was not "
        "changed."
    )


class DatabaseDamaged(StorageError):
    """The database fails its integrity check."""

    template = "{path} is damaged: {detail}"


class DatabaseMissing(DatabaseDamaged):
    """There are backups of a database, but the database itself is missing."""


class DatabaseTextsDamaged(DatabaseDamaged):
    """Texts in rows differ from what was written; the rest of the database is sound."""


class DatabaseRestored(StorageError):
    """A damaged database was replaced by a backup: a notice without any action."""

    template = "{path} was damaged ({detail}). {report} The damaged file is kept as {kept_as}."


class MissingDatabaseRestored(DatabaseRestored):
    """Like `DatabaseRestored`, for a database whose file was missing, so that none was kept."""

    template = "{path} is missing. {report}"


class DataReadOnly(StorageError):
    """The data folder is not writable; its contents can be read."""

    template = "{path} is read-only. You can read and export chats, but nothing new is saved."


class WordsDamaged(StorageError):
    """Rows do not match their checksums: a notice without any action."""

    template = "Some data in {path} was damaged. {report}"


class CopyDateInFuture(StorageError):
    """The newest backup has a date in the future: a notice without any action."""

    template = (
        "The latest backup of your chats is dated {moment}, which is in the future. Check the date and "
        "time of this computer. Backups continue."
    )


class QuestionDamaged(StorageError):
    """A question whose text was damaged cannot be asked again."""

    template = "The text of this question was damaged on disk. Edit the question to enter it again."


class DatabaseBusy(StorageError):
    """Another process holds the database."""

    template = "{path} is in use by another program."
    is_transient = True


class StorageFull(StorageError):
    """There is no space left on the disk."""

    template = "The disk is full. Free some space and try again. Saved data is not affected. {detail}"


class StorageUnavailable(StorageError):
    """The disk fails to read or write."""

    template = "{path} can’t be used: {detail}. Saved data is not affected."


class CitedPageDamaged(StorageError):
    """The stored copy of a cited page cannot be read."""

    template = (
        "The saved page is missing or damaged on disk. The cited passage was saved separately and is not "
        "affected."
    )


class CitedPageMissing(StorageError):
    """No page of a source is kept."""

    template = "The page of source {number} is not saved."


class AmbiguousConversation(StorageError):
    """No conversation, or more than one, has a title or id."""

    template = "No single chat has the id or title “{name}”. `footnote history` finds chats."


class CitedPagesFull(StorageError):
    """No more cited pages are kept: a notice."""

    template = (
        "Saved web pages use {limit} MB already, so new ones aren’t saved. Answers and their passages "
        "are not affected. Delete some in Settings > Data."
    )


class CitedPagesNotKept(StorageError):
    """Cited pages could not be written: a notice, said once."""

    template = "The cited web pages couldn’t be saved. The answer and its passages are not affected. {detail}"


class AnswerUnderWay(StorageError):
    """The data cannot be replaced while an answer is still being written."""

    template = "An answer is being written. Wait until it is finished or stop it, then try again."
    is_transient = True


class BackupFailed(StorageError):
    """A backup could not be made, found or read; existing ones are unchanged."""

    template = "“{place}” can’t be used for backups. {detail}"


class BackupServerDown(BackupFailed):
    """The server of a backup location does not respond."""

    template = "“{place}” can’t be reached. Check its address and your connection. {detail}"
    is_transient = True


class NotImported(StorageError):
    """A file of conversations cannot be imported; none of it was."""

    template = "“{name}” can’t be imported. {detail}"


class UnknownConversation(StorageError):
    """There is no conversation with this id."""

    template = "This chat no longer exists."


class UnknownTopic(StorageError):
    """No watched topic has this name, or more than one."""

    template = "No single watched topic is called “{topic}”. Run “footnote watch list” to see all topics."


class TopicsInUse(StorageError):
    """Another program on this data folder runs the watched topics."""

    template = (
        "Another Footnote window or command is looking up the watched topics. Try again when it has finished."
    )


class UnknownMemory(StorageError):
    """There is no memory with this id."""

    template = "This memory no longer exists."


class NotRemembered(StorageError):
    """A text cannot become a memory; the stored memories are unchanged."""

    template = "This can’t be saved as a memory: {detail}."


class SearchError(AppError):
    """A search cannot be started. A search that fails returns a `SearchOutcome` instead."""


class UnknownEngine(SearchError):
    """There is no engine with this name."""

    template = "There is no search engine “{engine}”. Available: {known}."


class NowhereToLook(SearchError):
    """Both web search and bases are switched off."""

    template = "Research needs sources. Turn on web search or choose a knowledge base."


class BrowserMissing(SearchError):
    """No browser was found."""

    template = "No Chromium, Chrome or Edge was found. {advice}"


class LookupStopped(SearchError):
    """The answer that did the source lookup for several compared answers was stopped."""

    template = "The answer that was searching for all models was stopped before this one began. Try again."


class PictureUnavailable(SearchError):
    """A picture of an answer could not be fetched."""

    template = "The image couldn’t be loaded. {detail}"


class KnowledgeError(AppError):
    """An error in knowledge bases and their files."""


class UnknownBase(KnowledgeError):
    """There is no base with this name."""

    template = "There is no knowledge base “{base}”."


class UnknownItem(KnowledgeError):
    """There is no item with this name, or there are several."""

    template = "“{base}” contains no “{item}”, or more than one. Use its path or id instead."


class BaseExists(KnowledgeError):
    """The name of a base is already in use."""

    template = "There is already a knowledge base “{base}”."


class BundleUnreadable(KnowledgeError):
    """The file of an exported base is invalid, damaged or malicious."""

    template = "“{name}” can’t be imported: {detail}."


class BundleUnwritable(KnowledgeError):
    """A base cannot be written to this file."""

    template = "“{name}” can’t be saved: {detail}."


class BaseIncomplete(KnowledgeError):
    """Passages of a base were deleted because they were damaged, and have not been read again."""

    template = (
        "“{base}” can’t be exported: damaged text of {names} is missing. Wait until it has been read again. "
        "If that fails, put the file back, or remove it from the knowledge base."
    )


class UnsupportedFile(KnowledgeError):
    """This type of file is not supported."""

    template = "“{name}” is a file type that Footnote can’t read ({detail})."


class NoDocumentChosen(KnowledgeError):
    """A document task was started without choosing a document."""

    template = "Choose a document: attach a file, or select one from a knowledge base."


class NoTextToCheck(KnowledgeError):
    """A text that was to be checked states nothing."""

    template = (
        "“{name}” has no sentence that can be checked. Choose another text, or paste the relevant part."
    )


class PageUnreadable(KnowledgeError):
    """A page that was to be checked could not be read."""

    template = "{address} couldn’t be read: {detail} Paste its text instead."


class DocumentUnreadable(KnowledgeError):
    """A document that was to be read for the user could not be added."""

    template = "“{name}” can’t be read. {detail}"


class DocumentGone(KnowledgeError):
    """A summary cannot be continued: the document has changed or is missing."""

    template = "“{name}” was changed or deleted after the summary was started. Start the summary again."


class NowhereToWriteFrom(KnowledgeError):
    """There is no base from which a draft could be written."""

    template = "A draft needs sources. Choose a knowledge base, or attach files."


class CorruptFile(KnowledgeError):
    """The file is damaged or protected by a password."""

    template = "“{name}” is damaged or protected: {detail}."


class ReadingFailed(KnowledgeError):
    """The file may be sound, but it exceeds the resource limits, or its parser fails."""

    template = "“{name}” couldn’t be read: {detail}."


class FileChanged(KnowledgeError):
    """The file changed while it was read."""

    template = "“{name}” kept changing while it was being read. Try again when no program is writing to it."


class FileUnreadable(KnowledgeError):
    """The file cannot be opened."""

    template = "“{name}” can’t be opened: {detail}."


class NothingToRead(KnowledgeError):
    """The file contains no text."""

    template = "“{name}” contains no text. {detail}"


class ModelMissing(KnowledgeError):
    """An embedding model or a reranker is not on this machine."""

    template = "The model “{model}” is not on this computer. Download it {in_settings}."
    constants: ClassVar[Mapping[str, str]] = IN_KNOWLEDGE


class ModelLibraryMissing(KnowledgeError):
    """The library for models chosen by the user is not installed."""

    template = (
        "The model “{model}” needs PyTorch and Sentence Transformers, which are not installed. "
        "Install them {in_settings}."
    )
    constants: ClassVar[Mapping[str, str]] = IN_KNOWLEDGE


class LibraryNotInstalled(KnowledgeError):
    """The library for models chosen by the user could not be installed."""

    template = "PyTorch and Sentence Transformers couldn’t be installed. {detail}"


class ModelUnusable(KnowledgeError):
    """A model is present but cannot be used."""

    template = "The model “{model}” can’t be used: {detail}."


class ModelNotDownloaded(KnowledgeError):
    """A model could not be downloaded from the hub."""

    template = "“{model}” couldn’t be downloaded. {detail}"


class ModelInUse(KnowledgeError):
    """A model cannot be deleted."""

    template = "The knowledge base “{base}” uses “{model}”. Choose another model for it first."


class IndexUnavailable(KnowledgeError):
    """The worker or its index is not available."""

    template = "The knowledge bases can’t be searched: {detail}"
    is_transient = True


class IndexDamaged(IndexUnavailable):
    """The database of the knowledge bases is damaged; it is checked and restored before its next use."""

    template = (
        "{path} is damaged ({detail}). Try again: Footnote checks it and restores the latest intact backup."
    )


class VectorsRebuilt(KnowledgeError):
    """The vector index was rebuilt: a notice without any action."""

    template = (
        "The vector index couldn’t be used ({detail}). It is being rebuilt from the knowledge bases; "
        "nothing is lost."
    )


class RerankerFailed(KnowledgeError):
    """The reranker is not available, or did not score its input."""

    template = "The reranker couldn’t rank the results: {detail}"
    is_transient = True


class EntailmentFailed(KnowledgeError):
    """The entailment model is not available."""

    template = "The entailment model couldn’t check the citations: {detail}"
    is_transient = True


class IndexInUse(KnowledgeError):
    """Another Footnote is using the same data."""

    template = (
        "Another Footnote window or command is using the knowledge bases in {folder}. Close it and try again."
    )
