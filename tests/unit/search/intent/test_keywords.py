"""What memories answer about the user is told from what the web is needed for."""

from desktop.search.keywords import is_answered_by_memory
from tests.cases import cases

MEMORIES = (
    "My dog is called Rex",
    "My sister's birthday is on 3 May",
    "I have a cast-iron pan",
    "My grandfather fought in World War I",
    "我的猫叫年糕",
    "我在布雷斯特工作",
)


@cases(
    "question",
    [
        "What is my dog called?",
        "When is my sister's birthday?",
        "What's my dog's name?",
        "Which pan do I have?",
        "我的猫叫什么名字？",
        "我的猫叫什么",
    ],
)
def test_a_fact_about_the_person_that_is_remembered_needs_no_web(question):
    assert is_answered_by_memory(question, MEMORIES)


@cases(
    "question",
    [
        "How heavy is a cast-iron pan?",
        "What should I cook in my cast-iron pan?",
        "When did World War I end?",
        "What do dogs called Rex eat?",
        "Which vet near my dog is open today?",
        "布雷斯特的天气怎么样？",
        "我国最大的猫是什么？",
        "我的猫不吃东西怎么办？",
        "",
        "my",
    ],
)
def test_what_the_world_is_asked_for_is_searched(question):
    assert not is_answered_by_memory(question, MEMORIES)


def test_without_memories_everything_is_searched():
    assert not is_answered_by_memory("What is my dog called?", ())
