"""Languages by script and by small words."""

from desktop.text.language import language_of
from tests.cases import cases


@cases(
    "text, language",
    [
        ("What is the capital of France?", "en"),
        ("法国的首都是哪里？", "zh"),
        ("什么是 Transformer 模型", "zh"),
        ("東京はどこにありますか", "ja"),
        ("서울은 어디에 있습니까", "ko"),
        ("Где находится Москва?", "ru"),
        ("ما هي عاصمة فرنسا", "ar"),
        ("Was ist die Hauptstadt und wo ist sie?", "de"),
        ("Quelle est la capitale de la France et des îles ?", "fr"),
        ("¿Cuál es la capital de España y de las islas?", "es"),
        ("A United Kingdom is a film.", "en"),
        ("Chinatown's screenplay had a writer.", "en"),
        ("Paul von Hindenburg was a traitor.", "en"),
        ("Il a acheté une maison à Paris.", "fr"),
        ("O filme foi levado a um novo cinema.", "pt"),
        ("Il libro è dato a una donna.", "it"),
        ("pandas DataFrame", "en"),
        ("", "en"),
        ("12345 !!!", "en"),
    ],
)
def test_language_of(text, language):
    assert language_of(text) == language
