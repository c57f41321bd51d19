"use strict";

// A button beside words that were selected in a message: they are quoted in the next question.
const Quoting = (() => {
  const GAP_PX = 8;

  const button = document.getElementById("quote");
  let quote = () => {};
  let frame = 0;

  function message() {
    const selection = document.getSelection();
    if (selection.isCollapsed || !selection.rangeCount) return null;
    const [from, to] = [selection.anchorNode, selection.focusNode].map((node) => textAround(node));
    return from && from === to && selection.toString().trim() ? from.closest(".message") : null;
  }

  function textAround(node) {
    const element = node?.nodeType === Node.ELEMENT_NODE ? node : node?.parentElement;
    return element?.closest(".text, .bubble") ?? null;
  }

  // Behind the end of the selection, and never outside of the view.
  function place() {
    const lines = document.getSelection().getRangeAt(0).getClientRects();
    const end = lines[lines.length - 1];
    const isInView = end && end.bottom > 0 && end.top < innerHeight;
    button.hidden = !isInView;
    if (!isInView) return;
    const top = end.bottom + GAP_PX;
    const fits = top + button.offsetHeight < innerHeight;
    button.style.top = `${fits ? top : Math.max(0, end.top - button.offsetHeight - GAP_PX)}px`;
    button.style.left = `${Math.max(GAP_PX, Math.min(end.right - button.offsetWidth / 2, innerWidth - button.offsetWidth - GAP_PX))}px`;
  }

  function look() {
    frame = 0;
    if (message()) place();
    else button.hidden = true;
  }

  function lookSoon() {
    if (!frame) frame = requestAnimationFrame(look);
  }

  // While words are being selected a button would be in the way.
  addEventListener("pointerdown", (event) => {
    if (event.target !== button) button.hidden = true;
  });
  addEventListener("pointerup", lookSoon);
  addEventListener("keyup", lookSoon);
  addEventListener("scroll", () => button.hidden || lookSoon(), { passive: true });
  addEventListener("resize", () => button.hidden || lookSoon());
  document.addEventListener("selectionchange", () => {
    if (document.getSelection().isCollapsed) button.hidden = true;
  });

  // The selection must outlive the press.
  button.addEventListener("pointerdown", (event) => event.preventDefault());
  button.addEventListener("click", (event) => {
    event.stopPropagation();
    const quoted = message();
    button.hidden = true;
    if (quoted) quote(quoted.dataset.message);
  });

  return {
    onQuote: (then) => (quote = then),
    speak: (words) => (button.textContent = words),
  };
})();
