"use strict";

// The page shows what Python sends and reports ids back. It builds no HTML out of text.
(() => {
  const CARD_DELAY_MS = 120;
  const CARD_GRACE_MS = 220;
  const FOLD_LINES = 40;
  const END_SLACK_PX = 32;

  // Drawn in a box of 24 by 24.
  const ICONS = {
    "wrap-code": "M4 6h16M4 12h12a4 4 0 0 1 0 8h-3m2-2-2 2 2 2M4 18h5",
    "copy-code": "M9 9h10v11H9zM5 15V4h10",
  };

  const conversation = document.getElementById("conversation");
  const card = document.getElementById("card");
  const toEnd = document.getElementById("to-end");
  const announcer = document.getElementById("announcer");
  const scroller = document.scrollingElement;

  let bridge = null;
  let words = {};
  let queue = [];
  let frame = 0;
  let follows = true;

  // --- What Python sends -------------------------------------------------------------------

  const operations = {
    words(op) {
      words = op.words;
      document.documentElement.lang = words.language;
      conversation.setAttribute("aria-label", words.conversation);
      toEnd.title = words.to_end;
      toEnd.setAttribute("aria-label", words.to_end);
    },
    theme(op) {
      document.documentElement.dataset.theme = op.name;
    },
    open(op) {
      closeCard();
      conversation.replaceChildren(...elements(op.html));
      dress(conversation);
      follows = true;
    },
    prepend(op) {
      const height = scroller.scrollHeight;
      const added = elements(op.html);
      conversation.prepend(...added);
      added.forEach(dress);
      if (!follows) scroller.scrollTop += scroller.scrollHeight - height;
    },
    message(op) {
      conversation.querySelector(".welcome")?.remove();
      const old = article(op.id);
      const [fresh] = elements(op.html);
      if (old) keepingSelection(old, () => (old.replaceWith(fresh), fresh));
      else conversation.append(fresh);
      dress(fresh);
      if (!old && fresh.classList.contains("person")) follows = true;
    },
    part(op) {
      const part = article(op.id)?.querySelector(`:scope > .${op.part}`);
      if (!part) return;
      const isOpen = part.querySelector("details")?.open;
      part.innerHTML = op.html;
      if (isOpen !== undefined && part.querySelector("details")) part.querySelector("details").open = isOpen;
    },
    patches(op) {
      const body = article(op.id)?.querySelector(":scope > .text");
      if (body) op.patches.forEach((patch) => patches[patch.kind](body, patch));
    },
    finished(op) {
      article(op.id)?.classList.remove("streaming");
      announcer.textContent = op.words;
    },
    card(op) {
      if (wanted && wanted.message === op.message && wanted.number === op.number) showCard(op.html);
    },
  };

  const patches = {
    set(body, patch) {
      const parent = find(body, patch.path.slice(0, -1));
      const index = patch.path[patch.path.length - 1];
      const [fresh] = elements(patch.html);
      const old = parent.children[index];
      if (old) keepingSelection(old, () => (old.replaceWith(fresh), fresh));
      else parent.append(fresh);
      dress(fresh);
    },
    drop(body, patch) {
      const parent = find(body, patch.path.slice(0, -1));
      const index = patch.path[patch.path.length - 1];
      while (parent.children.length > index) parent.lastElementChild.remove();
    },
    append(body, patch) {
      let end = find(body, patch.path);
      while (end.lastElementChild && !hasTextBehind(end.lastElementChild)) end = end.lastElementChild;
      appendText(end, patch.text);
    },
    code(body, patch) {
      const block = find(body, patch.path);
      appendText(block.querySelector("code"), patch.text);
    },
    class(body, patch) {
      find(body, patch.path).className = patch.name;
    },
  };

  function update(list) {
    queue.push(...list);
    if (document.hidden) flush();
    else if (!frame) frame = requestAnimationFrame(flush);
  }

  function flush() {
    cancelAnimationFrame(frame);
    frame = 0;
    const list = queue;
    queue = [];
    for (const op of list) operations[op.op](op);
    if (follows) goToEnd();
    else noteScroll();
    if (anchor && !anchor.isConnected) reanchor();
  }

  function article(id) {
    return document.getElementById(`message-${id}`);
  }

  function elements(html) {
    const template = document.createElement("template");
    template.innerHTML = html;
    return [...template.content.children];
  }

  function find(body, path) {
    return path.reduce((element, index) => element.children[index], body);
  }

  function hasTextBehind(element) {
    const next = element.nextSibling;
    return next !== null && next.nodeValue !== null && next.nodeValue.trim() !== "";
  }

  function appendText(element, text) {
    const last = element.lastChild;
    if (last && last.nodeType === Node.TEXT_NODE) last.appendData(text);
    else element.append(text);
  }

  // --- Selection: a block that is replaced keeps what was selected in it ---------------------

  function keepingSelection(old, replace) {
    const selection = document.getSelection();
    const inside = ["anchor", "focus"].map((end) => old.contains(selection[`${end}Node`]));
    if (selection.isCollapsed || !inside.some(Boolean)) return void replace();
    const ends = ["anchor", "focus"].map((end, i) =>
      inside[i]
        ? offsetIn(old, selection[`${end}Node`], selection[`${end}Offset`])
        : [selection[`${end}Node`], selection[`${end}Offset`]],
    );
    const fresh = replace();
    const [from, to] = ends.map((end, i) => (inside[i] ? pointAt(fresh, end) : end));
    selection.setBaseAndExtent(from[0], from[1], to[0], to[1]);
  }

  function offsetIn(root, node, offset) {
    const range = document.createRange();
    range.setStart(root, 0);
    range.setEnd(node, offset);
    return range.toString().length;
  }

  function pointAt(root, offset) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    let left = offset;
    let node = null;
    while (walker.nextNode()) {
      node = walker.currentNode;
      if (left <= node.length) return [node, left];
      left -= node.length;
    }
    return node ? [node, node.length] : [root, 0];
  }

  document.addEventListener("copy", (event) => {
    const selection = document.getSelection();
    if (selection.isCollapsed) return;
    const box = document.createElement("div");
    for (let i = 0; i < selection.rangeCount; i++) box.append(selection.getRangeAt(i).cloneContents());
    const marks = box.querySelectorAll("sup > a.citation");
    if (marks.length === 0) return;
    marks.forEach((mark) => mark.parentElement.replaceWith(`[${mark.dataset.source}]`));
    event.clipboardData.setData("text/html", box.innerHTML);
    // Only a rendered element knows where its lines end.
    box.className = "copied-text";
    document.body.append(box);
    event.clipboardData.setData("text/plain", box.innerText);
    box.remove();
    event.preventDefault();
  });

  // --- What Python's HTML lacks: the tools of code, the names of pictures -------------------

  function dress(root) {
    if (root.matches("pre.code")) dressCode(root);
    root.querySelectorAll("pre.code").forEach(dressCode);
    root.querySelectorAll(".picture").forEach(dressPicture);
  }

  function dressCode(pre) {
    if (pre.querySelector(".code-bar")) return;
    const lines = Number(pre.dataset.lines);
    const bar = document.createElement("div");
    bar.className = "code-bar";
    const label = document.createElement("span");
    label.textContent = [pre.dataset.language, counted(words.lines, lines)].filter(Boolean).join(" · ");
    bar.append(label, tool("wrap-code", words.wrap_code), tool("copy-code", words.copy_code));
    pre.prepend(bar);
    if (lines > FOLD_LINES && !pre.closest(".streaming")) {
      pre.classList.add("folded");
      const more = tool("unfold-code", words.more_lines.replace("{count}", lines));
      more.textContent = more.title;
      pre.append(more);
    }
  }

  function dressPicture(picture) {
    picture.title = words.picture.replace("{host}", picture.dataset.host || "?");
  }

  function tool(name, title) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = `tool ${name}`;
    button.title = title;
    button.setAttribute("aria-label", title);
    if (ICONS[name]) button.innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${ICONS[name]}"/></svg>`;
    return button;
  }

  function counted(forms, count) {
    return forms[count === 1 ? 0 : 1].replace("{count}", count);
  }

  function copyCode(button) {
    const selection = document.getSelection();
    const kept = selection.rangeCount ? selection.getRangeAt(0) : null;
    selection.selectAllChildren(button.closest("pre").querySelector("code"));
    document.execCommand("copy");
    selection.removeAllRanges();
    if (kept) selection.addRange(kept);
    confirmCopy(button);
  }

  function confirmCopy(button) {
    button.classList.add("done");
    announcer.textContent = words.copied;
    setTimeout(() => button.classList.remove("done"), 1500);
  }

  // --- Cards ---------------------------------------------------------------------------------

  let anchor = null;
  let wanted = null;
  let opening = 0;
  let closing = 0;

  function askForCard(mark) {
    clearTimeout(closing);
    if (mark === anchor) return;
    anchor?.removeAttribute("aria-describedby");
    anchor = mark;
    const message = mark.closest(".message").dataset.message;
    const number = Number(mark.dataset.source);
    wanted = { message, number, occurrence: Math.max(0, marksLike(mark).indexOf(mark)) };
    bridge.card_wanted(message, number, wanted.occurrence);
  }

  function marksLike(mark) {
    const body = mark.closest(".message").querySelector(".text");
    return [...body.querySelectorAll(`a.citation[data-source="${mark.dataset.source}"]`)];
  }

  function reanchor() {
    const body = article(wanted.message)?.querySelector(".text");
    const marks = body ? [...body.querySelectorAll(`a.citation[data-source="${wanted.number}"]`)] : [];
    anchor = marks[wanted.occurrence] || null;
    if (!anchor) closeCard();
    else if (!card.hidden) placeCard();
  }

  function showCard(html) {
    card.innerHTML = html;
    card.hidden = false;
    anchor?.setAttribute("aria-describedby", "card");
    placeCard();
    const mark = card.querySelector("mark");
    const passage = card.querySelector(".passage");
    if (mark) passage.scrollTop = mark.offsetTop - passage.offsetTop - passage.clientHeight / 3;
  }

  function placeCard() {
    const spot = anchor.getBoundingClientRect();
    const margin = 12;
    const width = card.offsetWidth;
    const height = card.offsetHeight;
    const left = Math.min(Math.max(margin, spot.left + spot.width / 2 - width / 2), innerWidth - width - margin);
    const below = spot.bottom + 8;
    const fitsBelow = below + height + margin <= innerHeight;
    card.style.left = `${Math.max(margin, left)}px`;
    card.style.top = `${fitsBelow ? below : Math.max(margin, spot.top - height - 8)}px`;
  }

  function closeCard() {
    clearTimeout(opening);
    clearTimeout(closing);
    anchor?.removeAttribute("aria-describedby");
    anchor = wanted = null;
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
      opening = setTimeout(() => askForCard(mark), card.hidden ? CARD_DELAY_MS : 0);
    } else if (card.contains(event.target)) {
      clearTimeout(closing);
    }
  });

  document.addEventListener("pointerout", (event) => {
    if (!markOf(event) && !card.contains(event.target)) return;
    if (event.relatedTarget instanceof Node && card.contains(event.relatedTarget)) return;
    clearTimeout(opening);
    clearTimeout(closing);
    closing = setTimeout(closeCard, CARD_GRACE_MS);
  });

  document.addEventListener("focusin", (event) => {
    const mark = markOf(event);
    if (mark && mark.matches(":focus-visible")) askForCard(mark);
    else if (!card.contains(event.target)) closeCard();
  });

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !card.hidden) {
      closeCard();
      event.preventDefault();
    }
  });

  // --- Clicks: only ids leave the page --------------------------------------------------------

  let isTouch = false;
  document.addEventListener("pointerdown", (event) => {
    isTouch = event.pointerType === "touch";
    if (isTouch && !markOf(event) && !card.contains(event.target)) closeCard();
  });

  const clicks = {
    "a.citation, button.source": (mark) => {
      if (isTouch && mark !== anchor) askForCard(mark);
      else bridge.source_wanted(Number(mark.dataset.source));
    },
    'a[href^="mailto:"]': (link) => {
      const links = [...link.closest(".text").querySelectorAll('a[href^="mailto:"]')];
      bridge.mail_wanted(link.closest(".message").dataset.message, links.indexOf(link));
    },
    "button.follow": (button) => bridge.source_wanted(Number(button.dataset.source)),
    "button.example": (button) => bridge.example_wanted(Number(button.dataset.example)),
    "button[data-action]": (button) => {
      bridge.act(button.closest(".message").dataset.message, button.dataset.action);
      if (button.dataset.action === "copy") confirmCopy(button);
    },
    ".copy-code": copyCode,
    ".wrap-code": (button) => button.closest("pre").classList.toggle("wrapped"),
    ".unfold-code": (button) => {
      button.closest("pre").classList.remove("folded");
      button.remove();
    },
    "#to-end": () => {
      follows = true;
      goToEnd();
    },
    'a[href^="#"]': (link) => document.getElementById(link.getAttribute("href").slice(1))?.scrollIntoView(),
  };

  document.addEventListener("click", (event) => {
    for (const [selector, action] of Object.entries(clicks)) {
      const target = event.target.closest(selector);
      if (target) {
        event.preventDefault();
        action(target);
        return;
      }
    }
  });

  // --- Scrolling -----------------------------------------------------------------------------

  function isAtEnd() {
    return scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop < END_SLACK_PX;
  }

  function noteScroll() {
    offerEnd(!isAtEnd());
  }

  function goToEnd() {
    scroller.scrollTop = scroller.scrollHeight;
    offerEnd(false);
  }

  // Writing the same value once more would make the page compute its style again.
  function offerEnd(isOffered) {
    if (toEnd.hidden === isOffered) toEnd.hidden = !isOffered;
  }

  // Going up at all is leaving the end; only coming back to the end is following it again.
  let lastTop = 0;
  addEventListener(
    "scroll",
    () => {
      if (scroller.scrollTop < lastTop - 1) follows = isAtEnd();
      else if (isAtEnd()) follows = true;
      lastTop = scroller.scrollTop;
      noteScroll();
      if (!card.hidden && anchor) placeCard();
    },
    { passive: true },
  );
  addEventListener("resize", () => {
    if (follows) goToEnd();
    else noteScroll();
  });

  window.footnote = { update };
  new QWebChannel(qt.webChannelTransport, (channel) => {
    bridge = channel.objects.bridge;
    bridge.page_ready();
  });
})();
