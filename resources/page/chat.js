"use strict";

// The page shows what Python sends and reports ids back. It builds no HTML out of text.
const footnote = (() => {
  const SLICE_MS = 6;
  const HIDDEN_MS = 100;

  const conversation = document.getElementById("conversation");
  const toEnd = document.getElementById("to-end");
  const announcer = document.getElementById("announcer");

  let bridge = null;
  let isConnecting = false;
  let isCalled = false;
  let early = null;
  let queue = [];
  let frame = 0;
  let asked = 0;
  let timer = 0;

  // The text of an answer; nearly always the same one as before.
  let body = null;
  let bodyId = "";

  function bodyOf(id) {
    if (id !== bodyId || !body?.isConnected) {
      body = Dom.article(id)?.querySelector(":scope > .text");
      bodyId = id;
    }
    return body;
  }

  // --- What Python sends -------------------------------------------------------------------

  const operations = {
    words(op) {
      Dress.speak(op.words);
      Drawings.speak(op.words);
      document.documentElement.lang = op.words.language;
      conversation.setAttribute("aria-label", op.words.conversation);
      toEnd.title = op.words.to_end;
      Quoting.speak(op.words.quote);
    },
    open(op) {
      const [kept, follows] = [Reading.place(), Reading.follows];
      Cards.close();
      Reading.forget();
      announcer.textContent = "";
      conversation.replaceChildren(...Dom.elements(op.html));
      for (const child of conversation.children) {
        Dress.dress(child);
        Reading.estimate(child);
      }
      Research.markBeside();
      Dress.markNeighbours(conversation);
      returning = op.stays && !follows ? kept : null;
      comeBack();
    },
    older(op) {
      Reading.addPlaces(op.places);
      comeBack();
    },
    let_go(op) {
      op.places.forEach((place) => Reading.letGo(place));
      Dress.markNeighbours(conversation);
      if (Finding.isOn) Finding.mark();
    },
    message(op) {
      conversation.querySelector(".welcome")?.remove();
      const old = Dom.article(op.id);
      const [fresh] = Dom.elements(op.html);
      if (old?.classList.contains("pending")) {
        Reading.fill(old, fresh);
      } else if (old) {
        Dom.replaceKeepingSelection(old, fresh);
      } else {
        conversation.append(fresh);
        Reading.estimate(fresh);
        if (fresh.classList.contains("person") && !op.stays) Reading.follow(true);
      }
      Dress.dress(Dom.article(op.id));
      Research.markBeside();
      Dress.markNeighbours(conversation);
      if (op.stays) turn(Dom.article(op.id));
    },
    cut(op) {
      const first = Dom.article(op.id);
      if (!first) return;
      const focused = document.activeElement;
      const gone = [first];
      while (gone.at(-1).nextElementSibling) gone.push(gone.at(-1).nextElementSibling);
      const action = gone.some((article) => article.contains(focused)) ? focused.dataset.action : "";
      turned = op.stays ? { from: Reading.offsetOf(first), action } : null;
      Cards.close();
      gone.forEach((article) => Reading.remove(article));
      Dress.markNeighbours(conversation);
      Reading.follow(!op.stays);
    },
    part(op) {
      const part = Dom.article(op.id)?.querySelector(`:scope > .${op.part}`);
      if (!part) return;
      if (op.part === "research") {
        Research.update(part, op.html);
        Dress.markParts(part.parentElement);
        Dress.markNeighbours(conversation);
        return;
      }
      const [old, hadFocus] = [part.querySelector("details"), part.contains(document.activeElement)];
      const fresh = part.cloneNode(false);
      fresh.innerHTML = op.html;
      const details = fresh.querySelector("details");
      if (old && details) details.open = old.open;
      Dom.replaceKeepingSelection(part, fresh);
      if (op.part === "support") Dress.markParts(fresh.parentElement);
      if (hadFocus) fresh.querySelector("summary, button")?.focus({ preventScroll: true });
    },
    reasoning(op) {
      const text = Dom.article(op.id)?.querySelector(":scope > .reasoning .thought-text");
      if (text) Dom.appendText(text, op.text);
    },
    append(op) {
      const text = bodyOf(op.id);
      if (text) patches.append(text, op);
    },
    patches(op) {
      const text = bodyOf(op.id);
      if (!text) return undefined;
      // One patch at a time, so that a big batch is done in slices.
      let at = 0;
      const next = () => {
        const patch = op.patches[at];
        at += 1;
        if (patch.kind !== "append") Dom.forgetEnd();
        patches[patch.kind](text, patch);
        return at < op.patches.length;
      };
      return next() ? next : undefined;
    },
    finished(op) {
      Dom.article(op.id)?.classList.remove("streaming");
      announcer.textContent = op.words;
    },
    support(op) {
      const body = Dom.article(op.id)?.querySelector(":scope > .text");
      if (body) Dress.doubt(body, op.marks);
    },
    place(op) {
      const article = Dom.article(op.id);
      if (article) Reading.arriveAt(article);
    },
    found(op) {
      Finding.show(op);
    },
  };

  const patches = {
    set(body, patch) {
      const [parent, index] = Dom.spot(body, patch.path);
      const [fresh] = Dom.elements(patch.html);
      const old = parent.children[index];
      if (old?.localName === fresh.localName && fresh.localName !== "pre" && !Dom.hasSelection(old)) {
        Dress.dress(fresh, old);
        Dom.become(old, fresh);
        return;
      }
      if (old) Dom.replaceKeepingSelection(old, fresh);
      else parent.append(fresh);
      Dress.dress(fresh);
      if (old?.classList.contains("wrapped")) fresh.classList.add("wrapped");
    },
    drop(body, patch) {
      Dom.drop(body, patch.path);
    },
    append(body, patch) {
      const element = Dom.find(body, patch.path);
      if (patch.is_outer) Dom.appendOuter(element, patch.text);
      else Dom.appendBehind(element, patch.text);
    },
    code(body, patch) {
      Dom.appendText(Dom.find(body, patch.path).querySelector("code"), patch.text);
    },
    class(body, patch) {
      Dom.find(body, patch.path).className = patch.name;
    },
  };

  // What the message that takes the place of another one takes over from it: where it stands, and the keyboard.
  let turned = null;

  function turn(article) {
    if (!turned) return;
    Reading.returnTo({ id: article.id, from: turned.from });
    if (turned.action) article.querySelector(`[data-action="${turned.action}"]`)?.focus({ preventScroll: true });
    announcer.textContent = article.querySelector(".variants")?.getAttribute("aria-label") ?? "";
    turned = null;
  }

  // The place that was being read, until its message is there again.
  let returning = null;

  function comeBack() {
    if (!returning) return;
    Reading.follow(false);
    if (!document.getElementById(returning.id)) return;
    Reading.returnTo(returning);
    returning = null;
  }

  // --- Slices: no more than a part of a frame at a time ----------------------------------------

  function update(list) {
    queue.push(...list);
    flushSoon();
  }

  // What most frames are: words behind the text of an answer.
  function append(id, path, text) {
    queue.push({ op: "append", id, path, text });
    flushSoon();
  }

  // The timer is for a page that nobody sees: it gets no frames. It runs on from batch to batch, because to set and
  // to clear it for each of them costs as much as to change a text.
  function flushSoon() {
    if (frame) return;
    asked = performance.now();
    if (document.hidden) {
      clearTimeout(timer);
      timer = setTimeout(flushUnseen, 0);
    } else {
      timer ||= setTimeout(flushUnseen, HIDDEN_MS);
    }
    frame = -1;
    frame = requestAnimationFrame(flush);
  }

  function flushUnseen() {
    timer = 0;
    if (!frame) return;
    const left = document.hidden ? 0 : asked + HIDDEN_MS - performance.now();
    if (left > 0) {
      timer = setTimeout(flushUnseen, left);
      return;
    }
    cancelAnimationFrame(frame);
    // A frame begins with the events of the scrolling before it; this is no frame.
    Reading.note();
    flush();
  }

  // What is left of the operation under way, which says whether there is more of it, and for which message.
  let goOn = null;
  let goesOnIn = "";

  function flush() {
    frame = 0;
    const until = performance.now() + SLICE_MS;
    const changed = new Set();
    // What takes the place of a message comes in the frame in which that goes: without it the page is shorter, and
    // may be at its end.
    while ((goOn || queue.length > 0) && (turned || performance.now() < until)) {
      try {
        step(changed);
      } catch (error) {
        // What one of them cannot do must not keep the others, and Python, waiting for ever.
        goOn = null;
        reportError(error);
      }
    }
    settle(changed);
    if (goOn || queue.length > 0) flushSoon();
    // Behind the painting: what is drawn is drawn, and Python may send what came meanwhile.
    else setTimeout(reportDrawn, 0);
  }

  function step(changed) {
    if (goOn) {
      changed.add(goesOnIn);
      if (!goOn()) goOn = null;
      return;
    }
    const op = queue.shift();
    if (op.op !== "patches" && op.op !== "append") Dom.forgetEnd();
    goOn = operations[op.op](op) ?? null;
    goesOnIn = op.id;
    if (op.id) changed.add(op.id);
  }

  function reportDrawn() {
    if (!goOn && queue.length === 0) bridge?.drawn();
  }

  function settle(changed) {
    Reading.settle();
    Cards.settle();
    if (!Finding.isOn) return;
    changed.forEach((id) => Finding.changed(Dom.article(id)));
    Finding.mark();
  }

  // --- Clicks: only ids leave the page --------------------------------------------------------

  const clicks = {
    "a.citation, button.source": (mark, click) => {
      if (!Cards.follows(mark, click)) return;
      const { message, number, occurrence } = Cards.placeOf(mark);
      bridge.card_wanted(message, number, occurrence); // a click may come before the card
      bridge.source_wanted(number);
    },
    'a[href^="mailto:"]': (link) => {
      const links = [...link.closest(".text").querySelectorAll('a[href^="mailto:"]')];
      bridge.mail_wanted(link.closest(".message").dataset.message, links.indexOf(link));
    },
    "button.copy-source": (button) => bridge.source_copy_wanted(Number(button.dataset.source)),
    "button.add-source": (button) => bridge.source_add_wanted(Number(button.dataset.source)),
    "button.follow": (button) => bridge.original_wanted(Number(button.dataset.source)),
    "button.fold": (button) => {
      const isOpen = button.closest(".message").classList.toggle("unfolded");
      button.setAttribute("aria-expanded", String(isOpen));
    },
    "button.example, button.example-model": (button) => bridge.example_wanted(Number(button.dataset.example)),
    "button.doubt": (button) => Cards.visitDoubt(button.closest(".message"), button.dataset.support),
    "button.find-claim": (button) => Claims.show(button),
    "button[data-research]": (button) => Research.press(button),
    "button[aria-disabled=true]": () => {},
    'button[data-action][aria-haspopup="menu"]': (button) => {
      const box = button.getBoundingClientRect();
      bridge.menu_wanted(button.closest(".message").dataset.message, button.dataset.action, box.left, box.bottom);
    },
    "button[data-action]": (button) => {
      bridge.act(button.closest(".message").dataset.message, button.dataset.action);
      if (button.dataset.action === "copy") Dress.confirmCopy(button);
    },
    ".copy-code": Dress.copyCode,
    ".picture[role=button]": Dress.loadPicture,
    ".wrap-code": Dress.toggleWrap,
    ".show-drawing": (button) => Drawings.chooseDrawing(button.closest("pre")),
    ".show-code": (button) => Drawings.chooseCode(button.closest("pre")),
    ".stop-drawing": (button) => Drawings.stop(button.closest("pre")),
    ".drawing-menu": Drawings.openMenu,
    ".unfold-code": (button) => Dress.unfold(button.closest("pre")),
    // Other answers may have a footnote of the same name.
    'a[href^="#"]': (link) => {
      const note = CSS.escape(link.getAttribute("href").slice(1));
      link.closest(".message").querySelector(`#${note}`)?.scrollIntoView();
    },
  };

  document.addEventListener("click", (event) => {
    for (const [selector, action] of Object.entries(clicks)) {
      const target = event.target.closest(selector);
      if (target) {
        event.preventDefault();
        if (bridge) action(target, event);
        else early ??= target; // the page is there before what answers it
        return;
      }
    }
  });

  // From message to message by keyboard; says whether there was one.
  function walk(by, isAnew) {
    const here = isAnew ? null : document.activeElement.closest(".message");
    const sibling = by < 0 ? "previousElementSibling" : "nextElementSibling";
    const next = here ? here[sibling] : conversation.lastElementChild;
    if (!next?.classList.contains("message")) return false;
    next.scrollIntoView({ block: "nearest" });
    next.focus({ preventScroll: true });
    // The web engine has not seen a key, and would not show where the keyboard is.
    next.classList.add("reached");
    next.addEventListener("blur", () => next.classList.remove("reached"), { once: true });
    return true;
  }

  // What is a button without being one.
  document.addEventListener("keydown", (event) => {
    if ((event.key !== "Enter" && event.key !== " ") || !event.target.matches(".picture[role=button]")) return;
    event.preventDefault();
    event.target.click();
  });

  // At the start of the program the page is loaded before there is anything to connect it with: Python calls once
  // there is. Later on the page finds it by itself, whatever made it load.
  const connect = () => {
    if (bridge) return;
    isCalled = isConnecting; // two channels at once would take each other's answers
    if (isConnecting) return;
    isConnecting = true;
    new QWebChannel(qt.webChannelTransport, (channel) => {
      isConnecting = false;
      if (!channel.objects.bridge) return isCalled ? connect() : undefined;
      bridge = channel.objects.bridge;
      Research.onSteer((...what) => bridge.steer(...what));
      Research.onStart((...what) => bridge.start_plan(...what));
      Research.onOutline((...what) => bridge.start_outline(...what));
      Cards.onAsk((...what) => bridge.card_wanted(...what));
      Drawings.onAsk((...what) => bridge.drawing_wanted(...what));
      Drawings.onStop((...what) => bridge.drawing_unwanted(...what));
      Drawings.onMenu((...what) => bridge.drawing_menu_wanted(...what));
      Cards.onToggle((isOpen) => bridge.card_shown(isOpen));
      Reading.onAsk((ids) => bridge.messages_wanted(ids));
      Reading.onFar((ids) => bridge.messages_unwanted(ids));
      Quoting.onQuote((id) => bridge.act(id, "quote"));
      Reading.onLook(Finding.mark, () => Finding.isOn);
      bridge.page_ready();
      early?.click();
      early = null;
    });
  };
  connect();

  return {
    append,
    connect,
    update,
    showCard: Cards.show,
    showDrawing: Drawings.show,
    drawingCopied: (id, index) => {
      const button = Drawings.buttonOf(id, index);
      if (button) Dress.confirmCopy(button);
    },
    paint: (look) => {
      Looks.apply(look);
      Drawings.renew();
    },
    place: () => Reading.place()?.id.replace("message-", "") ?? "",
    messageAt: (x, y) => document.elementFromPoint(x, y)?.closest(".message")?.dataset.message ?? "",
    selected: Dress.selected,
    showMark: Cards.showCurrent,
    showBeside: Research.showBeside,
    walk,
  };
})();
