"""What a server answers to a call, as a result that a model can read."""

import json
from base64 import b64decode
from binascii import Error as NotBase64

from mcp.types import (
    AudioContent,
    CallToolResult,
    ContentBlock,
    EmbeddedResource,
    GetPromptResult,
    ImageContent,
    ReadResourceResult,
    ResourceLink,
    TextContent,
    TextResourceContents,
)

from desktop.domain.models import Image
from desktop.domain.tools import ToolResult

_IMAGES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
_MOST_IMAGES = 4
_MOST_IMAGE_BYTES = 5_000_000
_MOST_CHARS = 1_000_000
"""More of a text is never read to a model, whatever its window."""


def result_of(answer: CallToolResult) -> ToolResult:
    """Return the text and the pictures of an answer; everything else is named."""
    texts = [_text(block) for block in answer.content]
    if not any(texts) and answer.structured_content is not None:
        texts = [json.dumps(answer.structured_content, ensure_ascii=False)]
    images = [image for block in answer.content if (image := _image(block)) is not None]
    text = "\n\n".join(filter(None, texts))[:_MOST_CHARS]
    return ToolResult(text, images=tuple(images[:_MOST_IMAGES]), is_error=answer.is_error)


def _text(block: ContentBlock) -> str:
    match block:
        case TextContent(text=text):
            return text
        case EmbeddedResource(resource=TextResourceContents(uri=uri, text=text)):
            return f"{uri}\n{text}"
        case EmbeddedResource(resource=resource):
            return f"({resource.mime_type or 'file'}: {resource.uri})"
        case ResourceLink(uri=uri, name=name):
            return f"({name}: {uri})"
        case AudioContent(mime_type=kind):
            return f"(audio, {kind})"
        case _:
            return ""


def _image(block: ContentBlock) -> Image | None:
    if not isinstance(block, ImageContent) or block.mime_type not in _IMAGES:
        return None
    try:
        data = b64decode(block.data, validate=True)
    except (NotBase64, ValueError):
        return None
    return Image(block.mime_type, data) if len(data) <= _MOST_IMAGE_BYTES else None


def text_of_resource(answer: ReadResourceResult) -> str:
    """Return the texts of a resource; what is no text is named."""
    parts = (
        part.text if isinstance(part, TextResourceContents) else f"({part.mime_type or 'file'}: {part.uri})"
        for part in answer.contents
    )
    return "\n\n".join(parts)[:_MOST_CHARS]


def text_of_prompt(answer: GetPromptResult) -> str:
    """Return what a prompt says, one message after the other."""
    return "\n\n".join(filter(None, (_text(message.content) for message in answer.messages)))[:_MOST_CHARS]
