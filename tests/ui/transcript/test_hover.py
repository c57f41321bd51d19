"""Where the card of a mark opens under a real pointer, at the scales of ordinary and of dense screens."""

from tests.cases import cases
from tests.ui.transcript.hover_elsewhere import SIZE, hover_elsewhere


@cases("scale", ["1", "2"])
def test_a_card_opens_beside_its_mark_and_inside_the_page(scale):
    width, height = SIZE
    seen = hover_elsewhere(scale)
    assert set(seen) == {"start", "center", "end"}
    for each in seen.values():
        card, mark = each.card, each.mark
        assert each.ratio == float(scale)
        assert 0 < card.left < mark.left
        assert mark.right < card.right < width
        assert card.top > 0
        assert card.bottom < height
        # Above or below, near, and not over it.
        gap = card.top - mark.bottom if card.top > mark.top else mark.top - card.bottom
        assert 4 <= gap <= 12
        # The words behind the sentence are in sight, and so is all that follows the passage.
        assert "1840" in each.told
        assert each.passage.top <= each.words.top
        assert each.words.bottom <= each.passage.bottom + 1
        assert each.end <= card.bottom
    assert seen["start"].card.top > seen["start"].mark.bottom
    assert seen["end"].card.bottom < seen["end"].mark.top
