"""What the composer knows of the model: pictures, thinking, and how full the window gets."""

import random
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from PIL import ExifTags, Image
from PySide6.QtCore import QMimeData, QSize, Qt
from PySide6.QtGui import QColor, QImage

from desktop.domain.events import TurnFinished
from desktop.domain.messages import AnswerCost, Message, Speaker
from desktop.domain.models import QUOTES_MODEL, Ability, ModelFacts, ModelInfo, Price, UsageReported
from desktop.domain.transcript import NOTHING_SHOWN, Transcript
from desktop.ui.composer.attachments import PICTURE_SIZE
from desktop.ui.composer.composer import Composer
from desktop.ui.composer.context_meter import ContextMeter, TokenLoad
from desktop.ui.composer.model_indicators import ModelIndicators
from desktop.ui.controllers.composer_controller import LONGEST_SIDE, ImageAttachments, compress_image
from desktop.ui.stores.catalogue import CatalogueStore
from desktop.ui.stores.settings_store import SettingsStore
from tests.cases import cases

NOW = datetime(2026, 11, 21, tzinfo=UTC)
MODELS = (
    ModelInfo("p/thinks", "Thinks", "P", ModelFacts(8_000, has=(Ability.REASONING,))),
    ModelInfo("p/plain", "Plain", "P", ModelFacts(8_000, lacks=(Ability.REASONING,))),
)


def picture(width=40, height=30) -> QImage:
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(QColor("teal"))
    return image


@pytest.fixture
def composer(qtbot):
    composer = Composer()
    qtbot.add_widget(composer)
    composer.show()
    return composer


@pytest.fixture
def shown():
    """The transcript of the open conversation, alone in a list."""
    return [NOTHING_SHOWN]


@pytest.fixture
def aids(composer, engine, loop, shown):
    store = SettingsStore(engine.port.preferences, loop)
    catalogue = CatalogueStore(engine.port.catalogue, loop)
    aids = ModelIndicators(composer, store, catalogue, lambda: shown[0])
    for signal in (composer.text.textChanged, composer.files.changed):
        signal.connect(aids.measure_soon)
    for signal in (store.changed, catalogue.models_listed, composer.model.picked):
        signal.connect(aids.refresh)
    composer.effort.picked.connect(aids.pick_effort)
    catalogue.models = MODELS
    composer.model.set_choice("p/thinks")
    catalogue.models_listed.emit(MODELS)
    yield aids
    catalogue.deleteLater()
    store.deleteLater()


@pytest.fixture
def taking(composer, engine, loop):
    taking = ImageAttachments(composer, engine.port.pictures, loop)
    composer.text.picture_given.connect(taking.attach)
    composer.files.changed.connect(taking.shrink_new)
    return taking


def paste(composer, **parts):
    data = QMimeData()
    if "image" in parts:
        data.setImageData(parts["image"])
    if "text" in parts:
        data.setText(parts["text"])
    assert composer.text.canInsertFromMimeData(data)
    composer.text.insertFromMimeData(data)


def test_a_pasted_picture_is_attached(composer, taking, qtbot):
    paste(composer, image=picture())
    qtbot.wait_until(lambda: bool(composer.files.paths))
    [path] = composer.files.paths
    assert QImage(str(path)).size() == picture().size()
    assert composer.send.isEnabled()


def test_an_attached_picture_shows_what_it_looks_like(composer, taking, tmp_path, qtbot):
    drawn, broken = tmp_path / "tides.png", tmp_path / "broken.png"
    image = QImage(300, 150, QImage.Format.Format_RGB32)
    image.fill(QColor("#ff0000"))
    image.save(str(drawn))
    broken.write_bytes(b"no picture")
    composer.attach_files((broken, drawn))
    qtbot.wait_until(lambda: composer.files._chips[1].has_picture)
    first, second = composer.files._chips
    shown = second.sign.pixmap()
    assert shown.deviceIndependentSize().toSize() == QSize(PICTURE_SIZE, PICTURE_SIZE // 2)
    assert shown.toImage().pixelColor(5, 5).name() == "#ff0000"
    assert not first.has_picture
    assert first.height() == second.height()
    composer.files.replace((drawn,))
    assert composer.files._chips[0].has_picture


def test_text_that_comes_with_a_picture_is_what_was_meant(composer, taking):
    paste(composer, image=picture(), text="a1\tb1")
    assert composer.text.toPlainText() == "a1\tb1"
    assert not composer.files.paths


def test_a_large_picture_is_replaced_by_a_smaller_one(composer, taking, tmp_path, qtbot):
    large, small = tmp_path / "large.png", tmp_path / "small.png"
    assert picture(LONGEST_SIDE + 500, 100).save(str(large))
    assert picture().save(str(small))
    composer.attach_files((large, small))
    qtbot.wait_until(lambda: large not in composer.files.paths)
    first, second = composer.files.paths
    assert QImage(str(first)).width() == LONGEST_SIDE
    assert first.stem.startswith("large-")
    assert second == small


def test_a_large_photograph_stays_upright(composer, taking, tmp_path, qtbot):
    photograph = tmp_path / "upright.jpg"
    turned = Image.Exif()
    turned[ExifTags.Base.Orientation] = 6
    Image.new("RGB", (LONGEST_SIDE + 500, 100)).save(photograph, exif=turned)
    composer.attach_files((photograph,))
    qtbot.wait_until(lambda: photograph not in composer.files.paths)
    [smaller] = composer.files.paths
    assert QImage(str(smaller)).height() == LONGEST_SIDE


def test_what_does_not_compress_is_sent_as_jpeg():
    noise = random.Random(1).randbytes(4 * 1_200 * 1_200)
    image = QImage(noise, 1_200, 1_200, QImage.Format.Format_RGB32)
    data, suffix = compress_image(image)
    assert (suffix, data[:3]) == (".jpg", b"\xff\xd8\xff")


def test_files_alone_can_be_sent(composer, tmp_path, qtbot):
    path = tmp_path / "a.txt"
    path.write_text("words")
    assert not composer.send.isEnabled()
    composer.attach_files((path,))
    assert composer.send.isEnabled()
    with qtbot.wait_signal(composer.submitted):
        qtbot.keyClick(composer.text, Qt.Key.Key_Return)


def test_effort_is_offered_for_models_that_think_and_kept_in_the_settings(composer, aids, qtbot):
    assert composer.effort.is_offered
    composer.effort.menu().aboutToShow.emit()
    [long] = [action for action in composer.effort.menu().actions() if action.text() == "High"]
    long.trigger()
    assert aids._store.settings.chat.effort == "high"
    assert composer.effort.text() == "High"
    composer.model.picked.emit("p/plain")
    composer.model.set_choice("p/plain")
    aids.refresh()
    assert not composer.effort.is_offered


def test_what_is_written_is_counted_before_it_is_sent(composer, aids, qtbot):
    assert composer.meter.isHidden()
    composer.text.setPlainText("one two three four")
    qtbot.wait_until(lambda: composer.meter.text == "About 4 tokens")
    composer.text.setPlainText("word " * 5_000)
    qtbot.wait_until(lambda: composer.meter.has_bar)
    assert "% of context used" in composer.meter.text
    composer.model.set_choice(QUOTES_MODEL)
    composer.text.setPlainText("word")
    qtbot.wait_until(composer.meter.isHidden)


def test_pictures_are_counted_for_models_that_see(composer, aids, tmp_path, qtbot):
    path = tmp_path / "small.png"
    assert picture().save(str(path))
    seeing = ModelInfo("p/sees", "Sees", "P", ModelFacts(8_000, has=(Ability.IMAGES,)))
    aids._catalogue.models = (*MODELS, seeing)
    composer.attach_files((path,))
    composer.text.setPlainText("one")
    qtbot.wait_until(lambda: composer.meter.text == "About 1 tokens")
    composer.model.set_choice("p/sees")
    composer.text.setPlainText("one two")
    qtbot.wait_until(lambda: composer.meter.text == "About 1,002 tokens")


def test_what_sending_will_cost_is_said_where_the_price_is_known(composer, aids, qtbot):
    dear = ModelInfo("p/dear", "Dear", "P", ModelFacts(200_000, price=Price(3.0, 15.0)))
    aids._catalogue.models = (*MODELS, dear)
    composer.text.setPlainText("word " * 1_000)
    qtbot.wait_until(lambda: composer.meter.text == "About 1,000 tokens")
    assert "$" not in composer.meter.toolTip()
    composer.model.set_choice("p/dear")
    composer.text.setPlainText("word " * 2_000)
    qtbot.wait_until(lambda: "about 2,000 tokens · ≈ $0.006\n" in composer.meter.toolTip())
    composer.text.setPlainText("word")
    qtbot.wait_until(lambda: "About $" not in composer.meter.toolTip())


def answer(id_, **fields):
    return Message(id_, "c", Speaker.MODEL, "Yes.", NOW, usage=UsageReported(1_000, 200), **fields)


def test_a_conversation_has_a_total(composer, aids, shown):
    messages = [
        answer("1", spent=AnswerCost(1.0, cost=0.25, currency="USD")),
        answer("2", spent=AnswerCost(1.0, cost=0.5, currency="USD")),
        answer("3", spent=AnswerCost(1.0, cost=0.5, currency="EUR")),
    ]
    shown[0] = Transcript.of(messages[:1])
    aids.count_anew()
    assert composer.meter.text == "1k tokens used · $0.25"
    shown[0] = Transcript.of(messages[:2])
    aids.watch(TurnFinished(messages[1]))
    assert composer.meter.text == "2k tokens used · $0.75"
    assert "2,000 input tokens, 400 output tokens" in composer.meter.toolTip()
    shown[0] = Transcript.of(messages)
    aids.watch(TurnFinished(messages[2]))
    assert "$" not in composer.meter.text


@cases(
    "load",
    [
        TokenLoad(),
        TokenLoad(draft=10, space=100),
        TokenLoad(draft=90, space=100),
        TokenLoad(draft=900, space=100),
    ],
)
def test_the_meter_can_be_painted(load, qtbot):
    meter = ContextMeter()
    qtbot.add_widget(meter)
    meter.show_load(load)
    assert meter.has_bar is (load.share >= 0.7)
    meter.resize(meter.sizeHint())
    assert not meter.grab().isNull()
    assert replace(load).share == load.share
