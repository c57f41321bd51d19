"use strict";

// Tab stops: what stands above the text of a message is one, its text one, and what stands below it one. The left and right
// arrows move within a stop. Parts with a form keep a stop for each field.
(() => {
  const STEPS = { ArrowLeft: -1, ArrowRight: 1 };
  const FOCUSABLE = "a[href], button, summary, [tabindex='0']";
  const WIDE = "table, .maths";
  const FORM = "input, select, textarea";
  const STOPS = [".who, .research, .steps, .reasoning", ".text", ".status, .support, .sources, .actions, .ways"];

  // What the arrows reach from here, in its order; nothing where each element is its own stop.
  function reachedFrom(element) {
    const message = element.closest(".message");
    const parts = [...(message?.children ?? [])].filter((part) => !part.querySelector(FORM));
    const own = parts.find((part) => part !== element && part.contains(element));
    const stop = own && STOPS.find((names) => own.matches(names));
    if (!stop) return [];
    const all = parts.filter((part) => part.matches(stop)).flatMap((part) => [...part.querySelectorAll(`${FOCUSABLE}, ${WIDE}`)]);
    return all.filter((each) => each.checkVisibility({ visibilityProperty: true }) && (!each.matches(WIDE) || isStop(each)));
  }

  // The web engine gives a Tab stop to what can be scrolled and has no other one in it.
  function isStop(wide) {
    return wide.scrollWidth > wide.clientWidth + 1 && !wide.querySelector(FOCUSABLE);
  }

  // Long lines of code, wide tables and formulas are read with the same keys.
  function scrolls(element, by) {
    const left = element.scrollWidth - element.clientWidth - element.scrollLeft;
    return element.matches(`pre, ${WIDE}`) && (by < 0 ? element.scrollLeft >= 1 : left >= 1);
  }

  // The buttons of a message have one that Tab leads to: the last that was used.
  function focus(element) {
    const buttons = element.closest("footer.actions")?.querySelectorAll("button") ?? [];
    buttons.forEach((button) => (button.tabIndex = button === element ? 0 : -1));
    element.focus();
  }

  document.addEventListener("keydown", (event) => {
    const { target, key } = event;
    const isOther = event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey;
    const isSelecting = event.shiftKey && key !== "Tab";
    const isKey = key in STEPS || key === "Tab";
    if (!isKey || isOther || isSelecting || !(target instanceof Element)) return;
    const reached = reachedFrom(target);
    const at = reached.indexOf(target);
    if (at < 0) return;
    if (key !== "Tab") {
      if (scrolls(target, STEPS[key])) return;
      focus(reached.at((at + STEPS[key]) % reached.length));
      event.preventDefault();
      return;
    }
    // From its end the web engine goes on by itself, out of the page, too.
    const end = event.shiftKey ? reached[0] : reached.at(-1);
    if (end !== target) end.focus({ preventScroll: true });
  });
})();
