"use strict";

// The card of a mark: on hover, focus and touch; F2 enters it, and so does the down arrow while it is open; Escape closes it.
const Cards = (() => {
  const DELAY_MS = 120;
  const GRACE_MS = 220;
  const GAP = 8;
  const MARGIN = 12;
  const LEAST = 140; // of the height, however small the page is

  const card = document.getElementById("card");
  let ask = () => {};
  let tell = () => {};
  let anchor = null;
  let wanted = null;
  let opening = 0;
  let closing = 0;
  let isEntered = false; // once it is shown

  // Loading does not bubble; a picture that cannot be shown stays unseen.
  document.addEventListener(
    "load",
    (event) => {
      if (event.target instanceof Element && event.target.matches("img.favicon")) event.target.classList.add("loaded");
    },
    true,
  );

  function want(mark) {
    clearTimeout(closing);
    if (mark === anchor || !mark.isConnected) return; // it was hovered, and written anew since
    anchor?.removeAttribute("aria-describedby");
    anchor = mark;
    wanted = placeOf(mark);
    ask(wanted.message, wanted.number, wanted.occurrence);
  }

  function placeOf(mark) {
    const message = mark.closest(".message").dataset.message;
    const number = Number(mark.dataset.source);
    return { message, number, occurrence: Math.max(0, marksLike(mark).indexOf(mark)) };
  }

  // The mark whose source is shown beside the page; none without a message.
  function showCurrent(message, number, occurrence) {
    document.querySelector("a.citation.current")?.classList.remove("current");
    const body = Dom.article(message)?.querySelector(".text");
    const mark = body?.querySelectorAll(`a.citation[data-source="${number}"]`)[occurrence];
    mark?.classList.add("current");
    mark?.scrollIntoView({ block: "nearest" });
  }

  function marksLike(mark) {
    const body = mark.closest(".message").querySelector(".text");
    return [...body.querySelectorAll(`a.citation[data-source="${mark.dataset.source}"]`)];
  }

  // After the page has changed: the mark may be another element now.
  function settle() {
    if (!anchor) return;
    if (anchor.isConnected && Number(anchor.dataset.source) === wanted.number) {
      if (!card.hidden) describe();
      return;
    }
    const body = Dom.article(wanted.message)?.querySelector(".text");
    const marks = body ? [...body.querySelectorAll(`a.citation[data-source="${wanted.number}"]`)] : [];
    anchor = marks[wanted.occurrence] || null;
    if (!anchor) close();
    else if (!card.hidden) place();
  }

  function show(message, number, html) {
    if (!wanted || wanted.message !== message || wanted.number !== number) return;
    isEntered ||= card.contains(document.activeElement); // it is written anew
    card.innerHTML = html;
    if (card.hidden) tell(true);
    card.hidden = false;
    card.setAttribute("aria-label", card.querySelector(".card-title strong")?.textContent ?? "");
    describe();
    place();
    if (isEntered) enter();
    const mark = card.querySelector("mark");
    const passage = card.querySelector(".passage");
    if (mark) passage.scrollTop = mark.offsetTop - passage.offsetTop - passage.clientHeight / 3;
  }

  function enter() {
    isEntered = false;
    card.querySelector("button")?.focus();
  }

  // What a screen reader says after the name of the mark: the sentences that support it, or else the passage. Not the card,
  // which has a name, and would be described by that alone.
  function describe() {
    const marked = card.querySelectorAll(".passage mark");
    const said = marked.length ? [...marked] : [...card.querySelectorAll(".passage")];
    said.forEach((element, index) => (element.id = `card-said-${index}`));
    anchor?.setAttribute("aria-describedby", said.map((element) => element.id).join(" "));
  }

  // Below its mark or above it, never over it: where it fits on neither side, its passage scrolls on the roomier one.
  function place() {
    const spot = anchor.getBoundingClientRect();
    const { clientWidth: width, clientHeight: height } = document.documentElement;
    const rooms = { above: spot.top - GAP - MARGIN, below: height - spot.bottom - GAP - MARGIN };
    const passage = card.querySelector(".passage");
    const read = passage.scrollTop;
    card.style.maxHeight = "";
    const natural = card.offsetHeight;
    const isBelow = natural <= rooms.below || (natural > rooms.above && rooms.below >= rooms.above);
    card.style.maxHeight = `${Math.max(LEAST, isBelow ? rooms.below : rooms.above)}px`;
    passage.scrollTop = read;
    const left = Math.min(spot.left + spot.width / 2 - card.offsetWidth / 2, width - card.offsetWidth - MARGIN);
    const top = isBelow ? spot.bottom + GAP : spot.top - GAP - card.offsetHeight;
    card.style.left = `${Math.max(MARGIN, left)}px`;
    card.style.top = `${Math.max(MARGIN, Math.min(top, height - card.offsetHeight - MARGIN))}px`;
  }

  function close() {
    clearTimeout(opening);
    clearTimeout(closing);
    anchor?.removeAttribute("aria-describedby");
    anchor = wanted = null;
    isEntered = false;
    if (!card.hidden) tell(false);
    card.hidden = true;
    card.replaceChildren();
  }

  function markOf(event) {
    return event.target instanceof Element ? event.target.closest("a.citation, button.source") : null;
  }

  document.addEventListener("pointerover", (event) => {
    if (event.pointerType === "touch") return;
    const mark = markOf(event);
    if (mark) {
      clearTimeout(opening);
      opening = setTimeout(() => want(mark), card.hidden ? DELAY_MS : 0);
    } else if (card.contains(event.target)) {
      clearTimeout(closing);
    }
  });

  // A finger leaves the page whenever it is lifted: touching elsewhere closes the card.
  document.addEventListener("pointerout", (event) => {
    if (event.pointerType === "touch") return;
    if (!markOf(event) && !card.contains(event.target)) return;
    if (event.relatedTarget instanceof Node && card.contains(event.relatedTarget)) return;
    clearTimeout(opening);
    clearTimeout(closing);
    closing = setTimeout(close, GRACE_MS);
  });

  document.addEventListener("focusin", (event) => {
    const mark = markOf(event);
    if (mark && mark.matches(":focus-visible")) want(mark);
    else if (!card.contains(event.target)) close();
  });

  document.addEventListener("keydown", (event) => {
    const mark = markOf(event);
    if (mark && event.key === "F2") {
      isEntered = true;
      if (mark === anchor && !card.hidden) enter();
      else want(mark);
      event.preventDefault();
      return;
    }
    if (card.hidden) return;
    const isInside = card.contains(event.target);
    const buttons = [...card.querySelectorAll("button")];
    if (event.key === "Escape") {
      if (isInside) anchor?.focus();
      close();
    } else if (mark && mark === anchor && event.key === "ArrowDown") {
      enter();
    } else if (isInside && event.key === "Tab") {
      (buttons[buttons.indexOf(event.target) + (event.shiftKey ? -1 : 1)] ?? anchor)?.focus();
    } else {
      return;
    }
    event.preventDefault();
  });

  document.addEventListener("pointerdown", (event) => {
    if (event.pointerType === "touch" && !markOf(event) && !card.contains(event.target)) close();
  });

  function follow() {
    if (card.hidden || !anchor) return;
    const { top, bottom } = anchor.getBoundingClientRect();
    if (bottom < 0 || top > document.documentElement.clientHeight) close();
    else place();
  }

  addEventListener("scroll", follow, { passive: true });

  // A touch shows the card first; the second one follows, as a click does, or a key.
  function follows(mark, click) {
    if (click.pointerType !== "touch" || mark === anchor) return true;
    want(mark);
    return false;
  }

  // The next mark of an answer with one of these results of the check, from the one whose card is open; its card says why.
  function visitDoubt(article, results) {
    const wanted = results.split(" ").map((result) => `.text a.citation.doubted.${result}`);
    const marks = [...article.querySelectorAll(wanted.join(", "))];
    if (!marks.length) return;
    const next = marks[(marks.indexOf(anchor) + 1) % marks.length];
    close();
    next.scrollIntoView({ block: "center" });
    next.focus({ preventScroll: true });
    want(next);
  }

  return { close, follows, placeOf, settle, show, showCurrent, visitDoubt, onAsk: (then) => (ask = then), onToggle: (then) => (tell = then) };
})();
