"use strict";

// Text too long for one layout lies in pieces, and only those near the view are laid out: the rest of a
// capped paragraph, code, what a person pasted, and what a model thinks.
const Pieces = (() => {
  const PIECE = 8_192;
  const SLACK = 512;
  const BOXES = ".rest, pre > code, .bubble, .thought-text";
  const LINED = "pre > code, .bubble, .thought-text";

  // Text that came whole. Coloured code has elements of its own and is never that long.
  function cut(root) {
    for (const box of root.querySelectorAll(BOXES)) {
      if (box.childElementCount > 0 || box.textContent.length <= 2 * PIECE) continue;
      const text = box.textContent;
      box.textContent = "";
      append(box, text);
    }
  }

  // Behind what a box has; says whether it is such a box.
  function extend(box, text) {
    const whole = box.closest(BOXES);
    if (whole) append(whole, text);
    return whole !== null;
  }

  function append(box, text) {
    const isLined = box.matches(LINED);
    let end = box.lastElementChild?.className === "piece" ? box.lastElementChild : box;
    let from = 0;
    while (from < text.length) {
      const length = end.lastChild?.nodeType === Node.TEXT_NODE ? end.lastChild.length : 0;
      const to = breakBehind(text, from, length, isLined);
      if (to > from) put(end, text.slice(from, to));
      from = to;
      if (from < text.length) end = box.appendChild(piece());
    }
  }

  // At the end of a line or of a word, if one comes soon.
  function breakBehind(text, from, length, isLined) {
    if (length + text.length - from <= PIECE) return text.length;
    if (length >= PIECE + SLACK) return from;
    const least = from + Math.max(0, PIECE - length);
    const most = from + PIECE + SLACK - length;
    const pattern = isLined ? /\n/g : /\s/g;
    pattern.lastIndex = least;
    const found = pattern.exec(text.slice(0, most));
    const end = Math.min(found ? found.index + 1 : most, text.length);
    return /[\udc00-\udfff]/.test(text[end] ?? "") ? end - 1 : end;
  }

  function put(element, text) {
    const last = element.lastChild;
    if (last?.nodeType === Node.TEXT_NODE) last.appendData(text);
    else element.append(text);
  }

  function piece() {
    const element = document.createElement("span");
    element.className = "piece";
    return element;
  }

  // What is copied of pieces is their text: between them there are no ends of lines.
  document.addEventListener("copy", (event) => {
    const selection = document.getSelection();
    if (selection.rangeCount !== 1) return;
    const range = selection.getRangeAt(0);
    const around = range.commonAncestorContainer;
    const box = (around.nodeType === Node.ELEMENT_NODE ? around : around.parentElement).closest(BOXES);
    if (!box?.querySelector(".piece")) return;
    event.clipboardData.setData("text/plain", range.toString());
    event.preventDefault();
    event.stopImmediatePropagation();
  });

  return { cut, extend };
})();
