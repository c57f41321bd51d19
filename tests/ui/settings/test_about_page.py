import asyncio

from desktop.ui.settings.pages.help import identity, load_libraries


def test_libraries_come_with_version_and_licence():
    facts = {fact.title.split()[0].casefold(): fact for fact in identity(asyncio.run(load_libraries()))}
    assert {"pyside6", "httpx", "msgspec"} <= set(facts)
    assert "LGPL" in facts["pyside6"].value
    assert all("\n" not in fact.value for fact in facts.values())
    assert [fact for fact in facts.values() if "AGPL" in fact.value.upper().replace("AFFERO", "AGPL")] == []
