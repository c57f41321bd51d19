"""The knowledge page of the settings: models chosen and downloaded, servers, what is read and asked."""

import asyncio
from dataclasses import replace
from functools import partial

import pytest
from PySide6.QtWidgets import QCheckBox, QComboBox, QDoubleSpinBox, QLineEdit, QSpinBox

from desktop.domain.knowledge import BaseInfo, BaseOptions, Download, EmbeddingModel, ModelLibrary
from desktop.domain.models import Ability, ModelFacts, ModelInfo
from desktop.errors import LibraryNotInstalled, ModelInUse, ModelNotDownloaded
from desktop.errors.servers import ChromaDown
from desktop.settings.model import ChromaServer, OwnEmbedder, OwnReranker
from desktop.ui.settings.dialog import SettingsDialog
from desktop.ui.settings.pages.knowledge import chroma_servers, embedders, library_panel, rerankers
from desktop.ui.settings.pages.knowledge_models import CustomModelDialog, embedding_choice, reranker_choice
from tests.ui.fakes.scripts import script_result, script_steps

BUILT_IN = EmbeddingModel("multilingual-e5-small", "E5", (), 384, 512, 69_000_000, kind="built-in")
HUB_E5 = EmbeddingModel(
    "intfloat/multilingual-e5-small", "E5 small", (), 384, 512, 489_000_000, is_here=False
)
BGE = EmbeddingModel("BAAI/bge-m3", "BGE-M3", (), 1_024, 8_192, 2_300_000_000, is_here=False)
HALF, WHOLE = Download(244_500_000, 489_000_000), Download(489_000_000, 489_000_000)
LIBRARY = ModelLibrary(is_here=False, can_install=True, command="pip install torch")
E5 = "intfloat/multilingual-e5-small"


def knowledge(context):
    return context.store.settings.knowledge


def listed(context, qtbot):
    with qtbot.wait_signal(context.embedders.listed):
        context.embedders.refresh()


def offer(engine, *models):
    """Have the list of embedding models be these."""
    script_result(engine.embedders, "models", (BUILT_IN, *models))


@pytest.fixture(autouse=True)
def known(engine):
    offer(engine, HUB_E5, BGE)
    script_result(engine.embedders, "library", LIBRARY)
    script_result(engine.embedders, "delete", None)


@pytest.fixture
def arrive(engine):
    """Return a step after which the model from the hub is here."""
    return partial(offer, engine, replace(HUB_E5, is_here=True), BGE)


@pytest.fixture
def models(context, qtbot):
    choice = embedding_choice(context, None)
    qtbot.add_widget(choice)
    choice.show()
    listed(context, qtbot)
    return choice


def test_models_say_what_they_are_and_only_those_that_are_here_can_be_chosen(models, context):
    rows = models.rows
    assert rows["multilingual-e5-small"].button.isChecked()
    assert (
        rows["multilingual-e5-small"].detail.text()
        == "many languages · 384 dimensions · up to 512 tokens · built in"
    )
    assert rows[E5].detail.text() == "many languages · 384 dimensions · up to 512 tokens · 489 MB to download"
    assert [row.button.isEnabled() for row in rows.values()] == [True, False, False]
    assert [row.action.isVisibleTo(models) for row in rows.values()] == [False, True, True]


def test_a_model_is_downloaded_chosen_and_removed(models, context, engine, arrive, qtbot):
    gate = asyncio.Event()
    script_steps(engine.embedders, "download", HALF, gate, arrive, WHOLE)
    script_result(engine.embedders, "delete", partial(offer, engine, HUB_E5, BGE), None)
    row = models.rows[E5]
    row.action.click()
    qtbot.wait_until(lambda: "245 MB of 489 MB" in row.detail.text())
    assert (row.action.text(), row.bar.isVisible(), row.bar.value()) == ("Cancel", True, 500)
    engine.release(gate)
    qtbot.wait_until(row.button.isEnabled)
    assert not row.action.isVisible()
    row.button.click()
    assert knowledge(context).embedding_model == E5
    row.remove.click()
    qtbot.wait_until(lambda: not row.button.isEnabled())
    assert knowledge(context).embedding_model == "multilingual-e5-small"
    assert models.rows["multilingual-e5-small"].button.isChecked()


def test_a_download_is_cancelled_and_goes_on_when_the_page_is_closed(models, context, engine, qtbot):
    downloads = script_steps(engine.embedders, "download", HALF, asyncio.Event())
    models.rows[E5].action.click()
    qtbot.wait_until(lambda: models.rows[E5].bar.maximum() > 0)
    models.close()
    other = embedding_choice(context, None)
    qtbot.add_widget(other)
    qtbot.wait_until(lambda: E5 in other.rows)
    assert other.rows[E5].action.text() == "Cancel"
    other.rows[E5].action.click()
    qtbot.wait_until(lambda: downloads.cancelled == 1)
    qtbot.wait_until(lambda: other.rows[E5].action.text() == "Download")
    assert other.rows[E5].problem.text() == ""


def test_what_went_wrong_with_a_model_stands_below_it_until_the_next_try(models, engine, arrive, qtbot):
    error = ModelNotDownloaded(model="E5 small", detail="The hub cannot be reached.")
    script_steps(engine.embedders, "download", HALF, error)
    row = models.rows[E5]
    row.action.click()
    qtbot.wait_until(
        lambda: row.problem.text() == "“E5 small” couldn’t be downloaded. The hub cannot be reached."
    )
    assert row.action.text() == "Download"
    script_steps(engine.embedders, "download", HALF, arrive, WHOLE)
    row.action.click()
    qtbot.wait_until(row.button.isEnabled)
    script_result(engine.embedders, "delete", ModelInUse(model="E5 small", base="Physics"))
    row.remove.click()
    qtbot.wait_until(lambda: "Choose another model for it first" in row.problem.text())


def test_a_model_of_ones_own_is_named_by_the_hub_or_by_a_folder(models, context, qtbot, tmp_path):
    models.add.click()
    dialog = next(each for each in models.findChildren(CustomModelDialog) if each.isVisible())
    for name, problem in (
        ("no name", "Enter the name as on Hugging Face"),
        (E5, "already in the list"),
        (str(tmp_path), "config.json is missing"),
    ):
        dialog.name.setText(name)
        dialog.keep.click()
        assert problem in dialog.problem.text()
    (tmp_path / "config.json").write_text("{}")
    dialog.keep.click()
    assert knowledge(context).own_models == (str(tmp_path),)


def test_the_chosen_model_is_tested_once_the_choice_is_saved(models, context, engine, arrive, qtbot):
    arrive()
    tested = script_result(engine.embedders, "test", "Vectors of 384 numbers.")
    listed(context, qtbot)
    models.rows[E5].button.click()
    models.test.button.click()
    qtbot.wait_until(lambda: models.test.result.text() == "Vectors of 384 numbers.")
    assert tested == [(E5,)]
    assert engine.preferences.settings.knowledge.embedding_model == E5


def test_a_server_of_ones_own_is_a_model_to_choose(models, context, engine, qtbot):
    script_result(engine.embedders, "test", "Vectors of 384 numbers.")
    cards = embedders(context, None)
    qtbot.add_widget(cards)
    cards.add.click()
    (card,) = cards.cards
    assert not context.store.settings.knowledge.own_embedders[0].base_url
    for name, text in (("name", "Our server"), ("base_url", "https://e.example/v1"), ("model", "e-large")):
        card.edits[name].setText(text)
        card.edits[name].editingFinished.emit()
    card.edits["dimensions"].setText("many")
    card.edits["dimensions"].editingFinished.emit()
    assert card.problem.text() == "“many” is not a number up to 16384."
    card.edits["dimensions"].setText("512")
    card.key.edit.setText("secret")
    card.test.button.click()
    qtbot.wait_until(lambda: card.test.result.text() == "Vectors of 384 numbers.")
    (own,) = knowledge(context).own_embedders
    assert own == OwnEmbedder(own.id, "Our server", "https://e.example/v1", "e-large", 512)
    assert engine.preferences.settings.knowledge.own_embedders == (own,)
    assert engine.preferences.secrets[f"embedding/{own.id}"] == "secret"
    assert models.rows[own.id].button.text() == "Our server"
    models.rows[own.id].button.click()
    card.remove.click()
    assert "Choose another one first" in card.problem.text()
    models.rows["multilingual-e5-small"].button.click()
    card.remove.click()
    assert knowledge(context).own_embedders == ()
    cards.show()
    qtbot.wait_until(cards.notices.isVisible)
    cards.notices.action.click()
    assert knowledge(context).own_embedders == (own,)
    assert engine.preferences.secrets[f"embedding/{own.id}"] == "secret"
    qtbot.wait_until(lambda: len(cards.cards) == 1)
    cards.cards[0].remove.click()
    cards.hide()
    qtbot.wait_until(lambda: engine.preferences.secrets == {})


def test_a_reranker_is_none_one_here_or_a_server(context, engine, qtbot):
    reranker = EmbeddingModel("BAAI/bge-reranker-v2-m3", "BGE Reranker", size_bytes=9, is_here=False)
    here = partial(script_result, engine.embedders, "rerankers", (replace(reranker, is_here=True),))
    gone = partial(script_result, engine.embedders, "rerankers", (reranker,))
    gone()
    script_steps(engine.embedders, "download", here, Download(9, 9))
    script_result(engine.embedders, "delete", gone, None)
    script_result(engine.embedders, "test_reranker", "It answers.")
    choice = reranker_choice(context, None)
    cards = rerankers(context, None)
    for widget in (choice, cards):
        qtbot.add_widget(widget)
    listed(context, qtbot)
    assert list(choice.rows) == ["", "local:BAAI/bge-reranker-v2-m3"]
    assert choice.rows[""].button.isChecked()
    assert not choice.test.button.isEnabled()
    row = choice.rows["local:BAAI/bge-reranker-v2-m3"]
    row.action.click()
    qtbot.wait_until(row.button.isEnabled)
    row.button.click()
    assert knowledge(context).reranker == "local:BAAI/bge-reranker-v2-m3"
    choice.test.button.click()
    qtbot.wait_until(lambda: choice.test.result.text() == "It answers.")
    cards.add.click()
    (own,) = knowledge(context).own_rerankers
    assert isinstance(own, OwnReranker)
    choice.rows[own.id].button.click()
    assert knowledge(context).reranker == own.id
    row = choice.rows["local:BAAI/bge-reranker-v2-m3"]
    row.remove.click()
    qtbot.wait_until(lambda: not row.button.isEnabled())
    assert knowledge(context).reranker == own.id
    (card,) = cards.cards
    card.remove.click()
    assert card.problem.text() == "This reranker is in use. Choose another one first."
    choice.rows[""].button.click()
    card.remove.click()
    assert (knowledge(context).reranker, list(choice.rows)) == ("", ["", "local:BAAI/bge-reranker-v2-m3"])


def test_a_chroma_server_is_added_tested_and_stays_while_a_base_is_on_it(context, engine, qtbot):
    cards = chroma_servers(context, None)
    qtbot.add_widget(cards)
    cards.add.click()
    (card,) = cards.cards
    card.edits["url"].setText("chroma.example.org")
    card.edits["url"].editingFinished.emit()
    assert card.problem.text() == "Enter an address that starts with https:// or http://."
    card.edits["url"].setText("https://chroma.example.org")
    card.key.edit.setText("token")
    tested = script_result(engine.embedders, "test_server", "It answers.")
    card.test.button.click()
    qtbot.wait_until(lambda: card.test.result.text() == "It answers.")
    (server,) = knowledge(context).chroma_servers
    assert server == ChromaServer(server.id, "Chroma server", "https://chroma.example.org")
    assert tested == [(server, "token")]
    error = ChromaDown(server="Chroma server", detail="The token was refused.")
    script_result(engine.embedders, "test_server", error)
    card.test.button.click()
    qtbot.wait_until(lambda: "The token was refused." in card.test.result.text())
    context.knowledge_store.bases = (BaseInfo("b1", "Physics", options=BaseOptions(place=server.id)),)
    card.remove.click()
    assert card.problem.text() == "In use by “Physics”. Choose another one there first."
    context.knowledge_store.bases = ()
    card.remove.click()
    assert knowledge(context).chroma_servers == ()


def test_what_is_asked_and_read_is_kept(context, engine, qtbot):
    dialog = SettingsDialog(context)
    qtbot.add_widget(dialog)
    dialog.go_to("knowledge")
    kinds = (QSpinBox, QDoubleSpinBox, QCheckBox, QLineEdit)
    named = {widget.accessibleName(): widget for kind in kinds for widget in dialog.findChildren(kind)}
    named["Passages per question"].setValue(12)
    named["Minimum score"].setValue(0.5)
    named["Read scans"].click()
    named["Passage length"].setValue(256)
    mirror = named["Hugging Face mirror"]
    mirror.setText("https://hf-mirror.com")
    mirror.editingFinished.emit()
    kept = knowledge(context)
    assert (kept.passage_count, kept.threshold, kept.reads_scans) == (12, 0.5, False)
    assert (kept.passage_tokens, kept.hub) == (256, "https://hf-mirror.com")


def test_only_models_that_see_can_be_chosen_to_describe_pictures_and_none_is_at_first(context, qtbot):
    context.catalogue.models = (
        ModelInfo("own/llava", "llava", "Own", facts=ModelFacts(has=(Ability.IMAGES,))),
        ModelInfo("own/qwen", "qwen", "Own"),
    )
    dialog = SettingsDialog(context)
    qtbot.add_widget(dialog)
    dialog.go_to("knowledge")
    boxes = {box.accessibleName(): box for box in dialog.findChildren(QComboBox)}
    box = boxes["Describe images without text"]
    assert [box.itemText(row) for row in range(box.count())] == ["No model", "llava"]
    assert (box.currentIndex(), knowledge(context).describer) == (0, "")
    box.setCurrentIndex(1)
    box.activated.emit(1)
    assert knowledge(context).describer == "own/llava"


def test_models_without_facts_say_only_what_is_known(models, context, engine, qtbot):
    context.store.apply(
        replace(context.store.settings, knowledge=replace(knowledge(context), own_models=("me/mine",)))
    )
    offer(engine, HUB_E5, BGE, EmbeddingModel("me/mine", "me/mine", is_here=False))
    listed(context, qtbot)
    row = models.rows["me/mine"]
    assert row.detail.text() == "not on this computer"
    row.remove.click()
    qtbot.wait_until(lambda: knowledge(context).own_models == ())


@pytest.fixture
def library(context, qtbot):
    panel = library_panel(context, None)
    qtbot.add_widget(panel)
    panel.show()
    listed(context, qtbot)
    return panel


def test_the_packages_for_other_models_are_installed_with_progress(library, engine, qtbot):
    gate, size = asyncio.Event(), 200_000_000
    here = partial(script_result, engine.embedders, "library", replace(LIBRARY, is_here=True))
    script_steps(engine.embedders, "install_library", Download(), Download(50_000_000, size), gate, here)
    assert library.action.text() == "Install"
    assert "300 MB" in library.detail.text()
    library.action.click()
    qtbot.wait_until(lambda: "50 MB of 200 MB" in library.detail.text())
    assert (library.action.text(), library.bar.isVisible()) == ("Cancel", True)
    engine.release(gate)
    qtbot.wait_until(lambda: "Installed." in library.detail.text())
    assert not library.action.isVisible()


def test_an_installation_is_cancelled_and_a_failure_is_told(library, engine, qtbot):
    installs = script_steps(engine.embedders, "install_library", Download(1, 2), asyncio.Event())
    library.action.click()
    qtbot.wait_until(lambda: library.bar.maximum() > 0)
    library.action.click()
    qtbot.wait_until(lambda: installs.cancelled == 1)
    qtbot.wait_until(lambda: library.action.text() == "Install")
    assert not library.problem.isVisible()
    script_steps(engine.embedders, "install_library", LibraryNotInstalled(detail="The disk is full."))
    library.action.click()
    qtbot.wait_until(library.problem.isVisible)
    assert "The disk is full." in library.problem.text()
    assert library.action.text() == "Install"


def test_what_brings_its_own_python_names_another_way(library, context, engine, qtbot):
    command = "pipx install 'footnote[models]'"
    script_result(
        engine.embedders, "library", ModelLibrary(is_here=False, can_install=False, command=command)
    )
    listed(context, qtbot)
    assert not library.action.isVisible()
    assert library.command.text() == command
