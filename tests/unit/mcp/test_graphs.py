"""Whatever tools do when they are stopped: it is over at once, and nothing is left. More of it: benchmarks/tools.py."""

import pytest

from tests.cases import cases
from tests.unit.mcp.graphs import run_graph

pytestmark = pytest.mark.anyio


@cases("seed", [2, 6, 22])
async def test_a_graph_that_is_stopped_leaves_nothing(seed):
    outcome = await run_graph(seed)
    assert (outcome.processes, outcome.files) == (0, 0)
