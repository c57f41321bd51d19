"""What comes back of a base: both legs, several queries, parts of bases, their wishes, and how it came about."""

import math
from dataclasses import replace

import pytest

from desktop.domain.knowledge import BaseOptions, Scope
from desktop.domain.trace import SourceUse
from desktop.errors import UnknownBase

BIRDS = {
    "heron.md": (
        "# Herons\n\nThe grey heron stands in shallow water and waits for fish. It builds its nest in high trees.\n\n"
        "## Numbers\n\nA survey in 2019 counted 1,240 pairs in the province.\n"
    ),
    "kingfisher.md": "# Kingfishers\n\nA kingfisher dives from a branch and digs its nest into the river bank.\n",
    "penguin.md": "# Penguins\n\nPenguins cannot fly. Their wings became flippers with which they chase prey under water.\n",
    "owl.md": "# Owls\n\nThe barn owl hunts at night by hearing alone; its face works as a funnel for sound.\n",
    "swift.md": "# Swifts\n\nSwifts sleep on the wing and come down only to breed, under the roofs of old houses.\n",
    "hedgehog.md": "# Hedgehogs\n\nThe hedgehog spends the winter asleep under a pile of leaves, its heart nearly still.\n",
    "苍鹭.md": "# 苍鹭\n\n苍鹭常在浅水中静立等候鱼类，巢筑在高大的树上。\n\n## 数量\n\n2019 年的调查在全省记录到 1240 对苍鹭。\n",
    "翠鸟.md": "# 翠鸟\n\n翠鸟从树枝上俯冲入水捕鱼，在河岸的土壁上掘洞营巢。\n",
    "企鹅.md": "# 企鹅\n\n企鹅不会飞，翅膀已经变成鳍状肢，用来在水下追逐猎物。\n",
    "刺猬.md": "# 刺猬\n\n刺猬在落叶堆下冬眠，心跳变得非常缓慢。\n",
    "契约.md": "# 租赁合同\n\n承租人应当在每月五日之前支付租金，逾期每日加收千分之一的滞纳金。\n",
    "lease.md": "# Lease\n\nThe tenant pays the rent before the fifth of each month; a late payment costs one per mille a day.\n",
}
ASKED = {
    "Which bird nests in a river bank?": "kingfisher.md",
    "birds that have lost the ability to take to the air": "penguin.md",
    "How does a hunter find prey in the dark?": "owl.md",
    "What do animals do to get through the cold season?": "hedgehog.md",
    "when is the rent due": "lease.md",
    "How many pairs of grey herons were counted in 2019?": "heron.md",
    "哪种鸟在河岸掘洞筑巢": "翠鸟.md",
    "不会飞的鸟怎样捕食": "企鹅.md",
    "2019年记录到多少对苍鹭": "苍鹭.md",
    "房租应该几号之前交": "契约.md",
    "刺猬怎么过冬": "刺猬.md",
}


@pytest.fixture(scope="module")
def animals(runner, client, tmp_path_factory):
    folder = tmp_path_factory.mktemp("animals")
    for name, text in BIRDS.items():
        (folder / name).write_text(text, encoding="utf-8")
    base = runner.run(client.create("animals"))
    runner.run(add(client, base, [folder]))
    return base


async def add(client, base, paths):
    return [step async for step in client.add(base.id, paths)]


def titles(retrieval):
    return [passage.title for passage in retrieval.passages]


def gain(ranking, wanted):
    return 1 / math.log2(ranking.index(wanted) + 2) if wanted in ranking else 0.0


def test_every_leg_alone_is_worse_than_both_and_the_floor_rises_only(runner, client, animals):
    legs = {"keyword": 0.0, "vector": 0.0, "all": 0.0}
    for query, wanted in ASKED.items():
        trial = runner.run(client.try_search(animals.id, query))
        for leg in ("keyword", "vector"):
            seen = [row for row in trial.rows if getattr(row, leg) is not None]
            ranking = [row.passage.title for row in sorted(seen, key=lambda row: -getattr(row, leg))]
            legs[leg] += gain(list(dict.fromkeys(ranking)), wanted) / len(ASKED)
        found = titles(runner.run(client.retrieve([query], [animals.id], 5)))
        legs["all"] += gain(found, wanted) / len(ASKED)
    assert legs["all"] >= max(legs["keyword"], legs["vector"])
    assert legs["all"] >= 0.95


def test_several_queries_are_one_request(runner, client, animals):
    asked = ["Which bird nests in a river bank?", "How does the barn owl hunt?"]
    assert set(titles(runner.run(client.retrieve(asked, [animals.id], 2)))) == {"kingfisher.md", "owl.md"}


def test_a_query_that_missed_does_not_spoil_one_that_did_not(runner, client, animals):
    asked = ["Which bird nests in a river bank?", "kingfisher nest river bank", "the house by the river"]
    assert titles(runner.run(client.retrieve(asked, [animals.id], 3)))[0] == "kingfisher.md"


def test_a_search_test_tells_what_each_stage_says(runner, client, animals):
    trial = runner.run(client.try_search(animals.id, "penguins under water"))
    best = trial.rows[0]
    assert best.passage.title == "penguin.md"
    assert best.keyword > 0
    assert 0 < best.vector <= 1
    assert 0 < best.fused <= 1
    assert best.reranked is None
    assert best.source_use == "It would be used."
    assert any("Only the best 8" in row.source_use for row in trial.rows)
    assert [row.fused for row in trial.rows] == sorted((row.fused for row in trial.rows), reverse=True)
    with pytest.raises(UnknownBase):
        runner.run(client.try_search("gone", "x"))


def test_what_was_found_and_not_given_is_told_with_the_reason(runner, client, animals):
    retrieval = runner.run(client.retrieve(["nest in trees"], [animals.id], 2))
    assert len(retrieval.passages) == 2
    assert retrieval.left_out
    assert all("Only the best 2" in left.reason for left in retrieval.left_out)
    assert {left.source_use for left in retrieval.left_out} == {SourceUse.NOT_NEEDED}


def test_a_part_of_a_base_is_all_that_is_looked_at(runner, client, animals):
    items = {item.name: item for item in runner.run(client.items(animals.id))}
    heron, owl = items["heron.md"], items["owl.md"]
    runner.run(client.tag([heron.id, owl.id], ["night"]))
    query = ["kingfisher nest"]
    only = Scope(animals.id, item_id=owl.id).key
    assert titles(runner.run(client.retrieve(query, [only], 5))) == ["owl.md"]
    tagged = Scope(animals.id, tag="night").key
    assert set(titles(runner.run(client.retrieve(query, [tagged], 5)))) == {"heron.md", "owl.md"}
    both = titles(runner.run(client.retrieve(query, [only, animals.id], 5)))
    assert both[0] == "kingfisher.md"


def test_a_passage_comes_with_its_section_and_says_where_it_stands(runner, client, base, tmp_path):
    lines = [
        f"Paragraph {number} tells of {'oysters' if number == 9 else 'the sea'} at length. " * 6
        for number in range(40)
    ]
    path = tmp_path / "sea.md"
    path.write_text(
        "# The sea\n\n" + "\n\n".join(lines) + "\n\n# The land\n\nNothing of it.\n", encoding="utf-8"
    )
    runner.run(add(client, base, [path]))
    (best, *_) = runner.run(client.retrieve(["oysters"], [base.id], 1)).passages
    text = runner.run(client.text_of(best.document))
    where = best.locator
    assert best.text == text[where.start : where.end]
    start, end = best.core
    assert "oysters" in best.text[start:end]
    assert "Paragraph 10" in best.text
    assert "The land" not in best.text
    assert len(best.text) < len(text) / 2


def test_a_base_says_how_many_passages_it_gives(runner, client, base, tmp_path):
    for number in range(6):
        (tmp_path / f"{number}.txt").write_text(f"Badgers, {number}: {'x' * number} live in setts.")
    runner.run(add(client, base, [tmp_path]))
    assert len(runner.run(client.retrieve(["badgers"], [base.id], 4)).passages) == 4
    runner.run(client.update(replace(base, options=BaseOptions(passage_count=1))))
    few = runner.run(client.retrieve(["badgers"], [base.id], 4))
    assert len(few.passages) == 1
    runner.run(client.update(replace(base, options=BaseOptions(passage_count=6))))
    assert len(runner.run(client.retrieve(["badgers"], [base.id], 4)).passages) == 6
