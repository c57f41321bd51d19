"use strict";

// From a claim on the board of a checked text to its sentence, and back.
const Claims = (() => {
  const SHOWN_MS = 4000;
  const shown = new Highlight();
  CSS.highlights.set("claim", shown);
  let button = null;

  // Letters and digits only: the text has marks, and the board no emphasis.
  function lettersOf(text) {
    return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
  }

  function readText(root) {
    const places = [];
    let letters = "";
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT, (node) =>
      node.parentElement.closest("a.citation, .code-bar") ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const found = lettersOf(node.data);
      if (found) places.push({ node, start: letters.length });
      letters += found;
    }
    return { letters, places };
  }

  // The node and the offset of a letter, or behind it.
  function spot(places, at, isEnd) {
    let place = places[0];
    for (const each of places) if (each.start <= at) place = each;
    let left = at - place.start;
    let offset = 0;
    for (const char of place.node.data) {
      const count = lettersOf(char).length;
      if (count && left < count) return [place.node, offset + (isEnd ? char.length : 0)];
      left -= count;
      offset += char.length;
    }
    return [place.node, place.node.data.length];
  }

  function rangeOf(row, text) {
    const wanted = lettersOf(row.querySelector(".claim-text").textContent);
    const at = wanted ? text.letters.indexOf(wanted) : -1;
    if (at < 0) return null;
    const range = document.createRange();
    range.setStart(...spot(text.places, at, false));
    range.setEnd(...spot(text.places, at + wanted.length - 1, true));
    return range;
  }

  function bodyOf(row) {
    return row.closest(".message").querySelector(":scope > .text");
  }

  function show(pressed) {
    const row = pressed.closest(".claim");
    const body = bodyOf(row);
    const range = body && rangeOf(row, readText(body));
    if (!range) return;
    button = pressed;
    highlight(range);
    Reading.follow(false);
    const box = range.getBoundingClientRect();
    scrollBy({ top: box.top - innerHeight / 3, behavior: "instant" });
    const marks = [...body.querySelectorAll("a.citation")];
    const mark = marks.find((each) => range.comparePoint(each, 0) >= 0);
    mark?.focus({ preventScroll: true });
    document.getElementById("announcer").textContent = range.toString();
  }

  function highlight(range) {
    shown.clear();
    shown.add(range);
    setTimeout(() => shown.delete(range), SHOWN_MS);
  }

  // A click on a sentence leads to its claim; one on a link, or one that ends a selection, does something else.
  function goBack(click) {
    const body = click.target.closest?.(".answer.checked-text > .text");
    if (!body || click.target.closest("a, button, [role=button]") || !getSelection().isCollapsed) return;
    const caret = document.caretRangeFromPoint(click.clientX, click.clientY);
    if (!caret) return;
    const text = readText(body);
    for (const row of body.closest(".message").querySelectorAll(".claim")) {
      const range = rangeOf(row, text);
      if (!range?.isPointInRange(caret.startContainer, caret.startOffset)) continue;
      highlight(range);
      focusOn(row.querySelector(".find-claim"));
      return;
    }
  }

  function focusOn(pressed) {
    pressed.closest(".claim").scrollIntoView({ block: "center", behavior: "instant" });
    pressed.focus({ preventScroll: true });
  }

  document.addEventListener("click", goBack);
  document.addEventListener("keydown", (event) => {
    const card = document.getElementById("card");
    if (event.key !== "Escape" || !button?.isConnected || !card.hidden) return;
    if (!document.activeElement?.closest(".answer.checked-text > .text")) return;
    focusOn(button);
    button = null;
  });

  return { show };
})();
