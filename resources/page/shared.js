"use strict";

// Cards of the marks on a page that is handed on: on hover, focus and touch; Escape closes. Nothing is loaded.
(() => {
  const GAP = 6;
  const GRACE_MS = 200;
  let mark = null;
  let card = null;
  let closing = 0;

  function show(wanted) {
    clearTimeout(closing);
    if (wanted === mark) return;
    close();
    card = document.getElementById(wanted.getAttribute("aria-describedby"));
    if (!card) return;
    mark = wanted;
    card.classList.add("shown");
    const spot = mark.getBoundingClientRect();
    const { clientWidth: width, clientHeight: height } = document.documentElement;
    const left = Math.min(spot.left, width - card.offsetWidth - GAP);
    const isAbove = spot.bottom + GAP + card.offsetHeight > height && spot.top > card.offsetHeight + GAP;
    const top = isAbove ? spot.top - GAP - card.offsetHeight : spot.bottom + GAP;
    card.style.left = `${Math.max(GAP, left) + scrollX}px`;
    card.style.top = `${top + scrollY}px`;
  }

  function close() {
    clearTimeout(closing);
    card?.classList.remove("shown");
    mark = card = null;
  }

  const markOf = (event) => (event.target instanceof Element ? event.target.closest("a.citation") : null);
  const isInCard = (event) => event.target instanceof Node && card?.contains(event.target);

  document.addEventListener("pointerover", (event) => {
    if (event.pointerType === "touch") return;
    if (markOf(event)) show(markOf(event));
    else if (isInCard(event)) clearTimeout(closing);
  });
  document.addEventListener("pointerout", (event) => {
    if (event.pointerType === "touch" || !(markOf(event) || isInCard(event))) return;
    clearTimeout(closing);
    closing = setTimeout(close, GRACE_MS);
  });
  document.addEventListener("focusin", (event) => {
    if (markOf(event)?.matches(":focus-visible")) show(markOf(event));
    else if (!isInCard(event)) close();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
  });

  // The first touch shows the card, the second one goes to the source; a touch elsewhere closes the card.
  document.addEventListener("click", (event) => {
    const touched = event.pointerType === "touch" && markOf(event);
    if (touched && touched !== mark) {
      event.preventDefault();
      show(touched);
    } else if (!isInCard(event)) close();
  });
})();
