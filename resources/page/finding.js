"use strict";

// Marks what is searched for, without touching the DOM: selection and updates know nothing of it.
const Finding = (() => {
  const BLOCK = /^(P|H[1-6]|LI|UL|OL|PRE|DIV|TR|T[DH]|TABLE|BLOCKQUOTE|SECTION|HR)$/;
  const SKIPPED = ".code-bar, .unfold-code, .drawing, .drawing-problem, sup:has(> a.citation)";
  const MANY = 2000;

  let needle = "";
  let pattern = null;
  let current = null;
  let isWanted = false;
  let ranges = new WeakMap();
  const all = new Highlight();
  const one = new Highlight();
  one.priority = 1;
  CSS.highlights.set("found", all);
  CSS.highlights.set("found-now", one);

  // The same text that Python searches: blocks apart, every space a plain one.
  function textOf(root) {
    const nodes = [];
    const starts = [];
    const parts = [];
    let length = 0;
    function put(text) {
      parts.push(text);
      length += text.length;
    }
    function visit(node) {
      if (node.nodeType === Node.TEXT_NODE) {
        nodes.push(node);
        starts.push(length);
        put(node.data.replace(/\s/g, " "));
      } else if (node.nodeType === Node.ELEMENT_NODE && !node.matches(SKIPPED)) {
        const isBlock = BLOCK.test(node.tagName);
        if (isBlock) put("\0");
        node.childNodes.forEach(visit);
        if (isBlock) put("\0");
      }
    }
    root.childNodes.forEach(visit);
    return { text: parts.join(""), nodes, starts };
  }

  function rangesIn(article) {
    if (ranges.has(article)) return ranges.get(article);
    const found = [];
    const root = article.querySelector(":scope > :is(.text, .bubble)");
    if (root && pattern) {
      const { text, nodes, starts } = textOf(root);
      for (const match of text.matchAll(pattern)) {
        found.push(rangeOf(match.index, match.index + match[0].length, nodes, starts));
        if (found.length === MANY) break;
      }
    }
    ranges.set(article, found);
    return found;
  }

  function rangeOf(from, to, nodes, starts) {
    const first = lastAtOrBefore(starts, from);
    const last = lastAtOrBefore(starts, to - 1);
    const range = new StaticRange({
      startContainer: nodes[first],
      startOffset: from - starts[first],
      endContainer: nodes[last],
      endOffset: to - starts[last],
    });
    return range;
  }

  function lastAtOrBefore(starts, position) {
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle] <= position) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  function show(op) {
    if (op.needle !== needle) {
      needle = op.needle;
      pattern = needle ? new RegExp(needle.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"), "giu") : null;
      ranges = new WeakMap();
    }
    current = op.id ? op : null;
    isWanted = current !== null;
    mark();
  }

  function changed(article) {
    ranges.delete(article);
  }

  // Only what is near the view is marked.
  function mark() {
    all.clear();
    one.clear();
    if (!pattern) return;
    for (const article of Reading.near()) rangesIn(article).forEach((range) => all.add(range));
    const range = currentRange();
    if (!range) return;
    one.add(range);
    if (isWanted) bringIntoView(range);
  }

  function currentRange() {
    const article = current && Dom.article(current.id);
    return article ? rangesIn(article)[current.occurrence] : null;
  }

  function bringIntoView(found) {
    isWanted = false;
    Reading.follow(false);
    const element = found.startContainer.parentElement;
    const pre = element.closest("pre.folded");
    if (pre) Dress.unfold(pre);
    const drawn = element.closest("pre.drawn");
    if (drawn) Drawings.chooseCode(drawn);
    const article = Dom.article(current.id);
    const box = article.getBoundingClientRect();
    if (box.bottom < 0 || box.top > innerHeight) article.scrollIntoView();
    // Once more when what came into view has its real height.
    centre(found);
    requestAnimationFrame(() => requestAnimationFrame(() => centre(found)));
  }

  function centre(found) {
    const range = document.createRange();
    range.setStart(found.startContainer, found.startOffset);
    range.setEnd(found.endContainer, found.endOffset);
    const spot = range.getBoundingClientRect();
    if (spot.top < 60 || spot.bottom > innerHeight - 60) scrollBy(0, spot.top - innerHeight / 3);
    if (spot.right > innerWidth || spot.left < 0) found.startContainer.parentElement.scrollIntoView({ block: "nearest", inline: "center" });
  }

  return { changed, mark, show, get isOn() { return pattern !== null; } };
})();
