"use strict";

// Tab stops: marks that follow each other are one, what stands below the text of an answer is one, and its buttons are one.
// The left and right arrows move within a stop.
(() => {
  const STEPS = { ArrowLeft: -1, ArrowRight: 1 };
  const FOCUSABLE = "a[href], button, summary, [tabindex='0']";

  function seenIn(...boxes) {
    return boxes.flatMap((box) => [...box.querySelectorAll(FOCUSABLE)]).filter((element) => element.checkVisibility());
  }

  function isMark(element) {
    return element.matches("a.citation");
  }

  // What the arrows reach from here, and the part of it that is one stop; nothing where each element is its own.
  function stopOf(element) {
    const text = element.closest(".text");
    if (text && isMark(element)) {
      const all = seenIn(text);
      let [first, last] = [all.indexOf(element), all.indexOf(element)];
      while (first > 0 && isMark(all[first - 1])) first -= 1;
      while (last < all.length - 1 && isMark(all[last + 1])) last += 1;
      return { reached: all.filter(isMark), first: all[first], last: all[last] };
    }
    if (element.closest(".support, .sources")) {
      const reached = seenIn(...element.closest(".message").querySelectorAll(":scope > .support, :scope > .sources"));
      return { reached, first: reached[0], last: reached.at(-1) };
    }
    return null;
  }

  function move(reached, from, by) {
    const next = reached[(reached.indexOf(from) + by + reached.length) % reached.length];
    next.focus();
    return next;
  }

  document.addEventListener("keydown", (event) => {
    const { target, key } = event;
    const isOther = event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey;
    const isSelecting = event.shiftKey && key !== "Tab";
    if (isOther || isSelecting || !(target instanceof Element)) return;
    const bar = target.closest("footer.actions");
    if (bar && key in STEPS) {
      const buttons = [...bar.querySelectorAll("button")];
      const next = move(buttons, target, STEPS[key]);
      buttons.forEach((button) => (button.tabIndex = button === next ? 0 : -1));
      event.preventDefault();
      return;
    }
    const stop = key in STEPS || key === "Tab" ? stopOf(target) : null;
    if (!stop) return;
    if (key !== "Tab") {
      move(stop.reached, target, STEPS[key]);
      event.preventDefault();
      return;
    }
    // From its end the web engine goes on by itself, out of the page, too.
    const end = event.shiftKey ? stop.first : stop.last;
    if (end !== target) end.focus({ preventScroll: true });
  });
})();
