"""Every regular expression that a stream passes through is linear: steps of matching are counted, on doubled texts.

The texts are made from what a pattern itself looks for: each of its characters, and each pair of them, repeated.
"""

import itertools
from re import _parser as parser

from tests.cases import cases
from tests.unit.render.pattern_steps import assert_grows_evenly, beginnings_of, characters_of, patterns

MOST_CHARS = 6
ALWAYS = "a1 <"
UNITS = ("<x>", ", 1", " 1,", ' "', "|-", " #", "\n")
PATTERNS = {name: (pattern, goes_through) for name, pattern, goes_through in patterns()}


@cases("pattern, goes_through", PATTERNS.values(), ids=PATTERNS)
def test_a_pattern_takes_twice_the_steps_for_twice_the_text(pattern, goes_through):
    tree = list(parser.parse(pattern.pattern, pattern.flags))
    known = list(dict.fromkeys((*ALWAYS, *characters_of(tree))))[: len(ALWAYS) + MOST_CHARS]
    units = (*known, *map("".join, itertools.permutations(known, 2)), *UNITS)
    for begun, unit in itertools.product(sorted(beginnings_of(tree)), units):
        assert_grows_evenly(pattern, begun, unit, goes_through=goes_through)
