"""Chinese words by a part of the dictionary, compared with all of it."""

import random
import subprocess
import sys
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.resources import resources_dir
from desktop.text.chinese_words import PartialDictionary, WordTable, cut_for_search, cut_words, tag_words

PROSE = (
    "热泵在零下的天气里照样工作,费用由房东承担。小明硕士毕业于中国科学院计算所，后在日本京都大学深造。\r\n"
    "他来到了网易杭研大厦；AT&T与C++的T恤，B超和3G网络，卡拉 OK  。鄧小平同志説過，台北市長柯文哲。"
    "乒乓球拍卖完了。𠀀𠀁㐀㐂，\0中\0国，邕江畔的龘龘！ＧＰＴ－４是2023年3月14日发布的99.5%模型。"
)


@pytest.fixture(scope="module")
def reference():
    """Return rjieba with its own dictionary, the whole."""
    import rjieba

    return rjieba


@pytest.fixture(scope="module")
def table():
    return WordTable(resources_dir() / "words" / "chinese.bin")


@pytest.fixture(scope="module")
def frequencies(table):
    """Return the frequency of every word of the file."""
    keys = [number.to_bytes(4 if number > 0xFFFF else 2).decode("utf-16-be") for number in table._keys]
    return {word: frequency for word, frequency, _ in table.find(keys)}


def test_the_file_has_the_words_and_frequencies_of_rjieba(reference, table, frequencies):
    assert len(frequencies) == 349_045
    assert sum(frequencies.values()) == table.total
    assert all(map(reference.has_word, frequencies))
    # a word is suggested at least as often as the dictionary says, and most often just so
    assert all(reference.suggest_freq(word) >= frequencies[word] for word in list(frequencies)[::50])


@given(
    st.lists(st.sampled_from([*PROSE, "中国", "科学", "科学院", "北京大学", "不", "的", "一"])).map("".join)
)
def test_any_text_is_cut_as_by_the_whole_dictionary(reference, text):
    assert cut_words(text) == reference.cut(text)
    assert cut_for_search(text) == reference.cut_for_search(text)
    assert tag_words(text) == reference.tag(text)


def test_words_of_the_dictionary_are_cut_as_by_the_whole(reference, frequencies):
    words = list(frequencies)[::25]
    random.Random(1).shuffle(words)
    for first in range(0, len(words), 10):
        text = "".join(words[first : first + 10])
        assert cut_for_search(text) == reference.cut_for_search(text)
        assert tag_words(text) == reference.tag(text)


def test_what_was_learned_is_forgotten_slowly_or_the_whole_is_loaded_at_once(reference, table, monkeypatch):
    now = [0.0]
    monkeypatch.setattr("desktop.text.chinese_words.time.monotonic", lambda: now[0])
    dictionary = PartialDictionary(table, most_keys=90)
    sentences = PROSE.split("。")
    for sentence in sentences * 2:
        now[0] += 100.0
        assert dictionary.call("cut", sentence) == reference.cut(sentence)
    assert not dictionary.is_whole

    for sentence in sentences:
        assert dictionary.call("tag", sentence) == reference.tag(sentence)
    assert dictionary.is_whole
    assert dictionary.call("cut_for_search", PROSE) == reference.cut_for_search(PROSE)


def test_a_long_text_has_the_whole_dictionary_until_it_is_idle(reference, table):
    timers = set(threading.enumerate())
    dictionary = PartialDictionary(table, most_keys=10, idle_s=0.05)
    assert dictionary.call("cut", PROSE) == reference.cut(PROSE)
    for timer in set(threading.enumerate()) - timers:
        timer.join()
    while dictionary.is_whole:  # a timer that found it in use has started another one
        threading.Event().wait(0.01)
    assert dictionary.call("cut", "中国") == ["中国"]


def test_threads_share_the_dictionary(reference, table):
    dictionary = PartialDictionary(table)
    expected = reference.cut(PROSE)
    found = []
    threads = [
        threading.Thread(target=lambda: found.extend(dictionary.call("cut", PROSE) for _ in range(20)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 80


def test_a_short_text_does_not_build_the_whole_dictionary():
    code = (
        "import sys\nfrom desktop.text.chinese_words import cut_words\n"
        "assert cut_words('热泵照样工作') == ['热泵', '照样', '工作']\nsys.exit('rjieba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
