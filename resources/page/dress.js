"use strict";

// What Python's HTML lacks: the tools of code, the names of pictures, the direction of each block.
const Dress = (() => {
  const FOLD_LINES = 40;
  const BLOCKS = "p, h1, h2, h3, h4, h5, h6, ul, ol, li, blockquote, table, th, td, section";
  const HEADINGS = ":is(h1, h2, h3, h4, h5, h6):not(.unseen)";
  const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
  const IDEOGRAPH = /\p{Script=Han}/u;
  const LETTER = /\p{L}/u;

  // Drawn in a box of 24 by 24.
  const ICONS = {
    "wrap-code": "M4 6h16M4 12h12a4 4 0 0 1 0 8h-3m2-2-2 2 2 2M4 18h5",
    "copy-code": "M9 9h10v11H9zM5 15V4h10",
  };

  const announcer = document.getElementById("announcer");
  let words = {};
  let clicks = 0;

  // Each kind of element with what it lacks.
  const lacking = [
    ["pre.code", dressCode],
    [".picture", dressPicture],
    ["em", dressEmphasis],
    ["th", (cell) => (cell.scope = "col")],
    [HEADINGS, dressHeading],
    [".cut-note", (note) => (note.dataset.words = words.cut_note)],
  ];
  const ALL = lacking.map(([selector]) => selector).join(", ");

  // A root that takes the place of another one is not in the page yet.
  function dress(root, place = root) {
    if (root.matches("pre.code")) dressCode(root);
    if (root.matches(".answer")) markParts(root);
    if (root.matches(HEADINGS)) dressHeading(root, place);
    if (root.firstElementChild) {
      // In one walk: most blocks have none of them.
      for (const element of root.querySelectorAll(ALL)) lacking.find(([selector]) => element.matches(selector))[1](element);
      Pieces.cut(root);
    }
    if (RIGHT_TO_LEFT.test(root.textContent)) {
      if (root.matches(BLOCKS)) direct(root);
      root.querySelectorAll(BLOCKS).forEach(direct);
    }
  }

  // Classes, because the style `.answer:has(.claims)` would be computed anew with every word that streams.
  function markParts(answer) {
    answer.classList.toggle("checked-text", answer.querySelector(":scope > .research .claims") !== null);
    answer.classList.toggle("is-waiting", answer.querySelector(":scope > .research .editor") !== null);
    answer.classList.toggle("is-checked", answer.querySelector(":scope > .support .checking") !== null);
  }

  // What the styles need to know about the messages of a conversation together.
  function markNeighbours(conversation) {
    const compared = [...conversation.querySelectorAll(':scope > .answer[data-standing="compared"]')];
    const first = new Set(compared.map((answer) => answer.previousElementSibling).filter((each) => each?.matches(".answer")));
    for (const each of conversation.querySelectorAll(":scope > .before-compared")) if (!first.has(each)) each.classList.remove("before-compared");
    first.forEach((each) => each.classList.add("before-compared"));
    conversation.classList.toggle("compares", compared.length > 0);
    conversation.classList.toggle("compares-more", compared.some((each) => first.has(each)));
    conversation.classList.toggle("checks-text", conversation.querySelector(":scope > .checked-text") !== null);
  }

  // The headings of an answer are below the one that each message has, and one below another without a gap,
  // whatever level the first of them has. Only the blocks back to the heading above are looked at.
  function dressHeading(heading, place = heading) {
    let above = place.closest(".text > .blocks > *, .text > :not(.blocks)");
    if (!above) return;
    const rank = (each) => Number(each.localName[1]);
    do above = blockBefore(above);
    while (above && !(above.matches(HEADINGS) && rank(above) <= rank(heading)));
    heading.ariaLevel = String(above ? Number(above.ariaLevel) + Number(rank(above) < rank(heading)) : 3);
  }

  // Only an answer that was shown while it was written has its blocks in groups.
  function blockBefore(block) {
    const group = block.closest(".blocks");
    return block.previousElementSibling ?? group?.previousElementSibling?.lastElementChild;
  }

  // Ideographs do not slant: they are emphasised with dots, whatever the language of the window.
  function dressEmphasis(emphasis) {
    if (IDEOGRAPH.test(emphasis.textContent)) emphasis.className = "wide";
  }

  // Unlike dir="auto", which passes over descendants that have a direction of their own: a list goes
  // the way its first item does.
  function direct(block) {
    const first = block.textContent.match(LETTER);
    if (first) block.dir = RIGHT_TO_LEFT.test(first[0]) ? "rtl" : "ltr";
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
    pre.tabIndex = 0;
    pre.setAttribute("role", "group");
    pre.setAttribute("aria-label", label.textContent);
    if (pre.dataset.drawing) Drawings.offer(pre);
    if (lines > FOLD_LINES && !pre.closest(".streaming")) {
      pre.classList.add("folded");
      const more = tool("unfold-code", words.more_lines.replace("{count}", lines));
      more.textContent = more.title;
      pre.append(more);
    }
  }

  function unfold(pre) {
    pre.classList.remove("folded");
    pre.querySelector(".unfold-code")?.remove();
  }

  // Loaded only when the user asks for it, and then by Python: the page itself has no network.
  function dressPicture(picture) {
    const host = picture.dataset.host || "?";
    picture.title = words.picture.replace("{host}", host);
    if (!picture.dataset.host) return;
    picture.setAttribute("role", "button");
    picture.tabIndex = 0;
    picture.setAttribute("aria-label", [words.load_picture.replace("{host}", host), nameOf(picture)].filter(Boolean).join(": "));
    picture.title = words.load_picture.replace("{host}", host);
  }

  function nameOf(picture) {
    return picture.querySelector(".picture-name").textContent;
  }

  function loadPicture(picture) {
    if (picture.classList.contains("loading")) return;
    const all = [...picture.closest(".text").querySelectorAll(".picture")];
    const image = new Image();
    image.alt = nameOf(picture);
    picture.classList.add("loading");
    image.addEventListener("load", () => {
      const shown = picture.cloneNode(true);
      shown.className = "picture shown";
      ["role", "tabindex", "aria-label", "title"].forEach((name) => shown.removeAttribute(name));
      shown.querySelector(".picture-name").replaceWith(image);
      picture.replaceWith(shown);
    });
    image.addEventListener("error", () => picture.classList.replace("loading", "failed"));
    // The number keeps the web engine from giving what it remembers: asking again is asking.
    clicks += 1;
    const id = picture.closest(".message").dataset.message;
    image.src = `footnote-page://pictures/${id}/${all.indexOf(picture)}?${clicks}`;
  }

  function tool(name, title) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = `tool ${name}`;
    button.title = title;
    if (ICONS[name]) button.innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${ICONS[name]}"/></svg>`;
    return button;
  }

  function counted(forms, count) {
    return forms[count === 1 ? 0 : 1].replace("{count}", count);
  }

  function toggleWrap(button) {
    const isWrapped = button.closest("pre").classList.toggle("wrapped");
    button.setAttribute("aria-pressed", isWrapped);
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

  // What a check found of the marks of an answer, in place of what one before it had.
  function doubt(body, doubted) {
    for (const mark of body.querySelectorAll("a.citation.doubted")) {
      mark.className = "citation";
      mark.setAttribute("aria-label", mark.dataset.name);
    }
    const marks = Map.groupBy(body.querySelectorAll("a.citation"), (mark) => Number(mark.dataset.source));
    for (const { number, occurrence, kind, words } of doubted) {
      const mark = marks.get(number)?.[occurrence];
      if (!mark) continue;
      mark.classList.add("doubted", kind);
      mark.dataset.name = mark.getAttribute("aria-label");
      mark.setAttribute("aria-label", `${mark.dataset.name} (${words})`);
    }
  }

  // What is copied goes where no card opens: its marks are text, and its sources go with them.
  document.addEventListener("copy", (event) => {
    const numbers = new Set();
    const box = cloned(numbers);
    if (numbers.size === 0) return;
    box.append(...[...numbers].map(sourceLine).filter(Boolean));
    event.clipboardData.setData("text/html", box.innerHTML);
    box.querySelectorAll("a.copied-source").forEach((link) => link.append(` ${link.href}`));
    event.clipboardData.setData("text/plain", textOf(box));
    event.preventDefault();
  });

  // What is selected, its marks as text: whose numbers they are is added to a set.
  function cloned(numbers) {
    const selection = document.getSelection();
    const box = document.createElement("div");
    for (let i = 0; i < selection.rangeCount && !selection.isCollapsed; i++) {
      box.append(selection.getRangeAt(i).cloneContents());
    }
    for (const mark of box.querySelectorAll("sup > a.citation")) {
      numbers.add(mark.dataset.source);
      mark.replaceWith(`[${mark.dataset.source}]`);
    }
    // The tools of code are not selected, and yet among what a range holds.
    box.querySelectorAll(".code-bar, .unfold-code, .drawing, .drawing-problem").forEach((tool) => tool.remove());
    return box;
  }

  // Only a rendered element knows where its lines end.
  function textOf(box) {
    box.className = "copied-text";
    document.body.append(box);
    const text = box.innerText;
    box.remove();
    return text;
  }

  function selected() {
    return textOf(cloned(new Set()));
  }

  function sourceLine(number) {
    const source = document.querySelector(`.source-list button.source[data-source="${number}"]`);
    if (!source) return null;
    const title = source.querySelector(".source-title").textContent;
    const line = document.createElement("p");
    if (source.dataset.address) {
      const link = document.createElement("a");
      link.className = "copied-source";
      link.href = source.dataset.address;
      link.textContent = title;
      line.append(`[${number}] `, link);
    } else {
      line.append(`[${number}] ${title} · ${source.querySelector(".source-place").textContent}`);
    }
    return line;
  }

  return { dress, doubt, markParts, markNeighbours, loadPicture, unfold, toggleWrap, copyCode, confirmCopy, selected, speak: (spoken) => (words = spoken) };
})();
