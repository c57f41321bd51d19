"""Detects the language of a text: by its script, and Latin languages by their function words."""

import re
from collections import Counter
from collections.abc import Sequence

_SCRIPTS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("ja", re.compile(r"[\u3041-\u309f\u30a1-\u30ff\uff66-\uff9f]")),
    ("ko", re.compile(r"[\uac00-\ud7af\u1100-\u11ff\u3130-\u318f]")),
    ("zh", re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")),
    ("ru", re.compile(r"[\u0400-\u04ff]")),
    ("el", re.compile(r"[\u0370-\u03ff\u1f00-\u1fff]")),
    ("he", re.compile(r"[\u0590-\u05ff]")),
    ("ar", re.compile(r"[\u0600-\u06ff\u0750-\u077f]")),
    ("hi", re.compile(r"[\u0900-\u097f]")),
    ("th", re.compile(r"[\u0e00-\u0e7f]")),
    ("en", re.compile(r"[A-Za-z\u00c0-\u024f]")),
)
LATIN = "en"
_SCRIPT_OF = {
    "uk": "ru",
    "bg": "ru",
    "sr": "ru",
    "mk": "ru",
    "be": "ru",
    "fa": "ar",
    "ur": "ar",
    "mr": "hi",
    "ne": "hi",
}
"""Languages that share the script of another one; those missing in the table above are Latin."""
_LETTERS_PER_CHARACTER = {"zh": 3, "ja": 3, "ko": 3}
"""A Chinese character carries about as much meaning as three Latin letters."""
_KANA_SHARE = 0.1
"""A text with more than this share of kana among kana and Han is Japanese."""
_SAMPLE_CHARS = 20_000
_LETTER = re.compile(r"[^\W\d_]")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")
_CJK = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_LATIN_PER_CJK = 3

_WORD = re.compile(r"[^\W\d_]+")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SMALL_WORDS: dict[str, frozenset[str]] = {
    "en": _words("the of and to is in that for it with as was on are this be by what how who which a an"),
    "de": _words("der die das und ist nicht ein eine mit den von zu auf für im dem sich wie was wer"),
    "fr": _words("le la les et est des une un dans que qui pour du pas sur au avec sont ce quel a"),
    "es": _words("el la los las y es una un que en por con para del no se su qué cómo más a"),
    "it": _words("il lo la gli e è una un che di per con del non si della sono come nel a"),
    "pt": _words("o a os as e é uma um que em por com para do da não se dos mais como"),
    "nl": _words("de het een en is van dat niet op te zijn met voor die aan er wat hoe"),
}


def readable_share(text: str, languages: Sequence[str] = ("en",)) -> float:
    """Return the share of `text`, 0…1, in the scripts of `languages`; Latin letters stand for all of those.

    The default corresponds to MiniLM's vocabulary.
    """
    scripts = {_SCRIPT_OF.get(language, language) for language in languages}
    known = {name for name, _ in _SCRIPTS}
    wanted = {script if script in known else "en" for script in scripts} | (
        {"zh"} if "ja" in scripts else set()
    )
    latin, cjk = len(_LATIN.findall(text)), len(_CJK.findall(text))
    others = len(_LETTER.findall(text)) - latin - cjk
    weight = latin + cjk * _LATIN_PER_CJK + others
    read = sum(
        len(script.findall(text)) * _LETTERS_PER_CHARACTER.get(name, 1)
        for name, script in _SCRIPTS
        if name in wanted
    )
    return min(1.0, read / weight) if weight else 1.0


def language_of(text: str) -> str:
    """Return the ISO 639-1 code of the main language of `text`; `en` when in doubt."""
    sample = text[:_SAMPLE_CHARS]
    script = script_of(sample)
    return _latin_language(sample) if script == LATIN else script


def script_of(text: str) -> str:
    """Return the main script of `text` as the code of a language that stands for it; Latin when in doubt."""
    sample = text[:_SAMPLE_CHARS]
    if sample.isascii():
        return LATIN
    counts = {name: len(script.findall(sample)) for name, script in _SCRIPTS}
    if counts["ja"] > _KANA_SHARE * (counts["ja"] + counts["zh"]):
        counts["ja"] += counts["zh"]
        counts["zh"] = 0
    weights = {name: count * _LETTERS_PER_CHARACTER.get(name, 1) for name, count in counts.items()}
    best = max(weights, key=lambda name: weights[name])
    return best if weights[best] else LATIN


def _latin_language(sample: str) -> str:
    words = Counter(word.lower() for word in _WORD.findall(sample))
    hits = {name: sum(words[word] for word in small) for name, small in _SMALL_WORDS.items()}
    best = max(hits, key=lambda name: hits[name])  # English comes first and wins a tie
    return best if hits[best] > hits["en"] else "en"
