"""Which model of a provider is chosen for the user."""

from desktop.providers.presets import _CHOSEN_FIRST, PRESETS, rank_models
from tests.cases import cases


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
        ("mistral", ("codestral-latest", "a-new-one"), "codestral-latest"),
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
