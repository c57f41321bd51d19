"""Which model of a provider is chosen for the user."""

import re

from desktop.providers.model_listing import models_in
from desktop.providers.presets import _CHOSEN_FIRST, PRESETS, rank_models
from tests.cases import cases

LISTED = {
    "openai": """
        text-embedding-ada-002 whisper-1 gpt-3.5-turbo tts-1 gpt-3.5-turbo-instruct dall-e-3 gpt-4 gpt-4-turbo gpt-4o-2024-05-13
        gpt-4o gpt-4o-mini gpt-4o-realtime-preview gpt-4o-audio-preview omni-moderation-latest o1 o3-mini gpt-4o-search-preview
        computer-use-preview gpt-4o-transcribe gpt-image-1 gpt-4.1 gpt-4.1-mini gpt-4.1-nano o3 o4-mini o3-deep-research gpt-5
        gpt-5-2025-08-07 gpt-5-chat-latest gpt-5-mini gpt-5-nano gpt-5-pro gpt-5-codex gpt-5-search-api gpt-audio gpt-realtime
        sora-2 gpt-5.1 gpt-5.1-chat-latest gpt-5.1-codex-max gpt-5.2 gpt-5.2-pro gpt-5.3-codex-spark gpt-5.4 gpt-5.4-mini gpt-5.4-pro
        chatgpt-image-latest gpt-5.5 gpt-5.5-2026-04-23 gpt-5.5-pro gpt-5.6-luna gpt-5.6-sol gpt-5.6-terra
    """,
    "anthropic": """
        claude-opus-4-8 claude-fable-5 claude-sonnet-5 claude-sonnet-4-6 claude-opus-4-6 claude-haiku-4-5-20251001
        claude-sonnet-4-5-20250929 claude-opus-4-1-20250805 claude-sonnet-4-20250514 claude-3-7-sonnet-20250219 claude-3-haiku-20240307
    """,
    "gemini": """
        models/embedding-001 models/gemini-2.0-flash models/gemini-2.0-flash-lite models/gemini-2.5-pro models/gemini-2.5-flash
        models/gemini-2.5-flash-preview-tts models/gemini-2.5-flash-image models/gemini-2.5-flash-lite models/gemini-flash-latest
        models/gemini-3-pro-preview models/gemini-3-flash-preview models/gemini-3.1-flash-image-preview models/gemini-3.1-flash-lite
        models/gemini-3.1-pro-preview-customtools models/gemini-3.5-flash models/gemini-embedding-001 models/gemma-4-31b-it models/aqa
        models/imagen-4.0-generate-001 models/veo-3.0-generate-001 models/gemini-2.5-flash-native-audio-latest
        models/gemini-robotics-er-1.5-preview models/gemini-live-2.5-flash-preview
    """,
    "deepseek": "deepseek-chat deepseek-reasoner deepseek-v4-pro deepseek-v4-flash",
    "openrouter": """
        openrouter/auto openrouter/free anthropic/claude-opus-4.8 anthropic/claude-sonnet-4 anthropic/claude-sonnet-4.6
        anthropic/claude-sonnet-5 anthropic/claude-3-haiku openai/gpt-5.5 openai/gpt-audio google/gemini-3-pro-image-preview
        meta-llama/llama-guard-4-12b qwen/qwen3-coder ~anthropic/claude-sonnet-latest
    """,
    "groq": """
        whisper-large-v3 canopylabs/orpheus-v1-english groq/compound meta-llama/llama-prompt-guard-2-22m openai/gpt-oss-safeguard-20b
        llama-3.1-8b-instant llama-3.3-70b-versatile openai/gpt-oss-20b openai/gpt-oss-120b qwen/qwen3-32b
    """,
    "dashscope": """
        qwen-vl-ocr qwen3-asr-flash text-embedding-v4 qwen-mt-plus qwen-max qwen-plus qwen-turbo qwen-plus-character qwen3-max
        qwen3-coder-plus qwen3-vl-plus qwen-omni-turbo-realtime qwen3.5-plus qwen3.6-plus qwen3.6-max-preview qwen3.7-plus qwen3.7-max
        qwen3.7-plus-2026-05-17 wanx-v1 cosyvoice-v2 qwen-deep-research qwen-math-plus deepseek-v4-flash
    """,
    "siliconflow": """
        BAAI/bge-m3 Qwen/Qwen3-Reranker-8B Qwen/Qwen3-Embedding-8B deepseek-ai/DeepSeek-OCR Pro/deepseek-ai/DeepSeek-V3.2
        deepseek-ai/DeepSeek-R1 deepseek-ai/DeepSeek-V3.2 deepseek-ai/DeepSeek-V4-Pro deepseek-ai/DeepSeek-V4-Flash
        Qwen/Qwen3-235B-A22B-Instruct-2507 Qwen/Qwen3-Coder-480B-A35B-Instruct FunAudioLLM/CosyVoice2-0.5B
    """,
    "moonshot": """
        moonshot-v1-8k moonshot-v1-auto moonshot-v1-128k-vision-preview kimi-latest kimi-k2-0905-preview kimi-k2-turbo-preview
        kimi-k2-thinking kimi-k2.5 kimi-k2.6 kimi-k2.7-code kimi-k2.7-code-highspeed
    """,
    "zhipu": "glm-4.5v glm-4.5-air glm-4.5-flash glm-4.6 glm-4.6v glm-4.7 glm-4.7-flashx glm-5 glm-5v-turbo glm-5.1 glm-5.2",
    "xai": """
        grok-4.20-0309-reasoning grok-4.20-multi-agent-0309 grok-4.20 grok-4.3 grok-build-0.1 grok-imagine-image grok-imagine-video
    """,
    "mistral": """
        codestral-latest devstral-latest mistral-embed mistral-ocr-latest mistral-moderation-latest ministral-8b-latest
        mistral-medium-2604 mistral-large-latest mistral-medium-latest voxtral-mini-latest
    """,
}
"""Parts of the lists of models that providers gave in 2025 and 2026, with what cannot chat, in no useful order."""


@cases(
    "provider, listed, first",
    [
        ("openai", ("gpt-4o", "gpt-5-mini", "gpt-5", "gpt-5.1", "gpt-5.1-codex", "gpt-4-0613"), "gpt-5.1"),
        ("openai", ("o3", "gpt-4o-mini-2024-07-18", "gpt-4.1-mini"), "gpt-4.1-mini"),
        (
            "anthropic",
            ("claude-opus-4-1-20250805", "claude-sonnet-4-20250514", "claude-sonnet-4-5-20250929"),
            "claude-sonnet-4-5-20250929",
        ),
        (
            "anthropic",
            ("claude-3-5-haiku-20241022", "claude-3-7-sonnet-20250219", "claude-3-5-sonnet-20241022"),
            "claude-3-7-sonnet-20250219",
        ),
        (
            "gemini",
            ("models/gemini-2.0-flash", "models/gemini-2.5-flash-lite", "models/gemini-2.5-flash"),
            "models/gemini-2.5-flash",
        ),
        ("xai", ("grok-3-mini", "grok-3", "grok-4-0709", "grok-code-fast-1"), "grok-4-0709"),
        ("zhipu", ("glm-4-plus", "glm-4.5", "glm-4.6"), "glm-4.6"),
        (
            "openrouter",
            ("openrouter/auto", "anthropic/claude-sonnet-4", "anthropic/claude-sonnet-4.5"),
            "anthropic/claude-sonnet-4.5",
        ),
        ("mistral", ("codestral-latest", "a-new-one"), "a-new-one"),
        ("openai", ("gpt-" + "9" * 5_000 + "x", "gpt-4o"), "gpt-4o"),
        ("unknown", ("b", "a"), "b"),
    ],
)
def test_the_newest_model_of_the_kind_that_suits_most_questions_comes_first(provider, listed, first):
    ranked = rank_models(provider, listed)
    assert ranked[0] == first
    assert sorted(ranked) == sorted(listed)


def test_every_known_provider_with_a_key_has_a_first_choice():
    assert {preset.id for preset in PRESETS if preset.needs_key} == set(_CHOSEN_FIRST)


@cases(
    "provider, first",
    [
        ("openai", "gpt-5.5"),
        ("anthropic", "claude-sonnet-5"),
        ("gemini", "models/gemini-3.5-flash"),
        ("deepseek", "deepseek-v4-flash"),
        ("openrouter", "anthropic/claude-sonnet-5"),
        ("groq", "openai/gpt-oss-120b"),
        ("dashscope", "qwen3.7-plus"),
        ("siliconflow", "deepseek-ai/DeepSeek-V4-Flash"),
        ("moonshot", "kimi-k2.6"),
        ("zhipu", "glm-5.2"),
        ("xai", "grok-4.3"),
        ("mistral", "mistral-medium-latest"),
        ("unknown", ""),
    ],
)
def test_of_a_real_list_a_current_model_for_chat_is_chosen(provider, first):
    settings = next((preset for preset in PRESETS if preset.id == provider), PRESETS[0])
    everything = " ".join(LISTED.values())
    body = {"data": [{"id": name} for name in LISTED.get(provider, everything).split()]}
    ranked = rank_models(provider, tuple(model.id.partition("/")[2] for model in models_in(body, settings)))
    assert ranked[0] == (first or ranked[0])
    wrong = re.compile(
        r"audio|cod|embed|guard|image|moder|ocr|orpheus|realtime|rerank|search|tts|v\b|video|vision|whisper"
    )
    for name in ranked[:3]:  # the second and third are tried where the first is refused
        assert not wrong.search(name.casefold()), name
