"""The colours that a person may give."""

from desktop.domain.messages import LabelColor
from desktop.ui.sidebar.conversation_groups import label_color, label_color_name, swatch
from desktop.ui.widgets.colors import DARK, LIGHT
from desktop.ui.widgets.theme import palette_of
from tests.cases import cases
from tests.ui.widgets.test_theme import contrast


@cases("colours", [LIGHT, DARK], ids=["light", "dark"])
@cases("tint", LabelColor)
def test_each_is_seen_on_every_ground_of_the_list(qapp, colours, tint):
    shown = label_color(tint, palette_of(colours))
    grounds = (colours.sidebar, colours.hover, colours.selected, colours.raised)
    assert min(contrast(shown.name(), ground) for ground in grounds) >= 3


def test_each_has_a_name_and_a_swatch_of_its_own(qapp):
    assert len({label_color_name(tint) for tint in LabelColor}) == len(LabelColor)
    drawn = [swatch(tint, palette_of(LIGHT)).pixmap(12, 12).toImage() for tint in LabelColor]
    assert all(one != other for number, one in enumerate(drawn) for other in drawn[:number])
