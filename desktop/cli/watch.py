"""`footnote watch`: questions that are looked up on a schedule, and what is new about them since the last time."""

import argparse
import asyncio
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from desktop.cli.ask import check_engine
from desktop.cli.kb import find_scope
from desktop.cli.output.terminal import Answer, WrongArguments, print_json, print_words, tell, tell_notice
from desktop.domain.procedures import Depth
from desktop.domain.search import WEB_AUTO, WEB_OFF
from desktop.domain.topics import Interval, RunState, Topic, TopicRun, private_sources_of, without_private
from desktop.errors import UnknownTopic
from desktop.render.export.common_parts import one_line
from desktop.render.export.topic_feed import (
    ALL,
    atom_feed,
    run_line,
    run_markdown,
    topic_labels,
    topic_markdown,
)
from desktop.render.labels import EN
from desktop.services.container import ServiceContainer, running_services
from desktop.settings.folders import folders_for
from desktop.text.message_codec import in_english

if TYPE_CHECKING:
    from desktop.chat.watching import TopicWatcher


def run(arguments: argparse.Namespace) -> int:
    """Add, list, change, run, pause, resume, remove or export watched topics."""
    return asyncio.run(_run(arguments))


async def _run(arguments: argparse.Namespace) -> int:
    async with running_services(folders_for(arguments.data_dir), tell=tell_notice) as services:
        topics = services.topics
        match arguments.action:
            case "add":
                _print_topic(await topics.add(await _new_topic(services, arguments)), arguments)
            case "list":
                _print_list(await topics.all(), arguments)
            case "run":
                return await _look_up(services, arguments)
            case "pause" | "resume":
                topic = await topics.find(arguments.topic)
                changed = await topics.pause(topic.id, arguments.action == "pause")
                _print_topic(_present(changed, topic), arguments)
            case "change":
                _print_topic(await _change(topics, arguments), arguments)
            case "remove":
                topic = await topics.find(arguments.topic)
                await topics.remove(topic.id)
                _print_topic(topic, arguments)
            case "history":
                topic = await topics.find(arguments.topic)
                print_json(
                    topic_json(topic) | {"runs": list(map(run_json, topic.runs))}
                ) if arguments.json else (print_words(topic_markdown(topic, EN)))
            case _:
                await _export(topics, arguments)
    return 0


async def _new_topic(services: ServiceContainer, arguments: argparse.Namespace) -> Topic:
    web = WEB_OFF if arguments.only_here else arguments.web
    if web not in {WEB_OFF, WEB_AUTO}:
        await check_engine(services, web)
    scopes = [(await find_scope(services, name)).key for name in arguments.kb]
    if web == WEB_OFF and not scopes:
        raise WrongArguments("there is nowhere to look: allow the web, or name a base with --kb")
    return Topic(
        id="",
        question=arguments.question,
        interval=Interval(arguments.every),
        created_at=datetime.now(UTC),
        web=web,
        bases=tuple(scopes),
        model=arguments.model or services.preferences.settings.chat.model,
        depth=Depth(arguments.research) if arguments.research else None,
        budget_tokens=arguments.budget,
        stays_here=arguments.only_here,
    )


async def _change(topics: "TopicWatcher", arguments: argparse.Namespace) -> Topic:
    topic = await topics.find(arguments.topic)
    interval = Interval(arguments.every) if arguments.every else topic.interval
    budget = topic.budget_tokens if arguments.budget is None else arguments.budget
    return _present(await topics.change(topic.id, interval, budget), topic)


def _present(changed: Topic | None, topic: Topic) -> Topic:
    if changed is None:  # another program has just removed it
        raise UnknownTopic(topic=topic.question)
    return changed


async def _look_up(services: ServiceContainer, arguments: argparse.Namespace) -> int:
    """Run one topic, or all that are due."""
    topics = services.topics
    done: tuple[tuple[Topic, TopicRun], ...]
    done = (
        (await topics.run(await topics.find(arguments.topic)),) if arguments.topic else await topics.run_due()
    )
    if arguments.json:
        print_json({"runs": [topic_json(topic) | {"run": run_json(ended)} for topic, ended in done]})
    elif not done:
        tell("No topic is due.")
    else:
        print_words("\n\n".join(f"# {topic.question}\n\n{run_markdown(ended, EN)}" for topic, ended in done))
    return 1 if any(ended.state is RunState.FAILED for _, ended in done) else 0


async def _export(topics: "TopicWatcher", arguments: argparse.Namespace) -> None:
    chosen = (await topics.find(arguments.topic),) if arguments.topic else await topics.all()
    private = () if arguments.with_private else private_sources_of(chosen)
    if private:
        titles = ", ".join(f"“{one_line(source.title)}”" for source, _ in private)
        tell(f"Left out, because only you have them: {titles}. With --with-private they are written, too.")
        chosen = tuple(map(without_private, chosen))
    if arguments.format == "atom":
        one = chosen[0] if arguments.topic else None
        title = one.question if one else "Footnote: watched topics"
        feed = atom_feed(chosen, title, EN, feed_id=one.id if one else ALL)
        print_words(feed.decode().rstrip("\n"))
    else:
        print_words("\n".join(topic_markdown(topic, EN) for topic in chosen).rstrip("\n"))


def _print_list(topics: tuple[Topic, ...], arguments: argparse.Namespace) -> None:
    if arguments.json:
        print_json({"topics": list(map(topic_json, topics))})
    elif topics:
        print_words("\n".join(map(_line, topics)))
    else:
        tell("No topic is watched. Add one with: footnote watch add QUESTION")


def _print_topic(topic: Topic, arguments: argparse.Namespace) -> None:
    if arguments.json:
        print_json(topic_json(topic))
    else:
        print_words(_line(topic))


def _line(topic: Topic) -> str:
    words = topic_labels(EN)
    when = "paused" if topic.is_paused else f"next {topic.next_run_at().astimezone():%Y-%m-%d %H:%M}"
    last = run_line(topic.runs[-1], EN) if topic.runs else words.no_run
    return f"{topic.id}  {topic.question}  {words.intervals[topic.interval]}, {when}. {last}"


def topic_json(topic: Topic) -> Answer:
    """Return a topic as JSON for scripts, without its runs."""
    document: Answer = in_english(replace(topic, runs=(), known=()))
    del document["runs"], document["known"]
    return document | {"next_run_at": topic.next_run_at().isoformat(), "run_count": len(topic.runs)}


def run_json(ended: TopicRun) -> Answer:
    """Return a run as JSON for scripts."""
    document: Answer = in_english(ended)
    return document
