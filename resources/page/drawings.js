"use strict";

// Blocks of Mermaid, SVG and HTML as drawings, above their code. Python draws them, elsewhere, when they come near the view;
// here they are images: no script of theirs runs, and they load nothing.
const Drawings = (() => {
  const NEAR_PX = "300px";
  const ALT_CHARS = 300;

  let words = {};
  let ask = () => {};
  let askToStop = () => {};
  let askForMenu = () => {};
  let shownFor = "";

  const seen = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (!isIntersecting) continue;
        seen.unobserve(target);
        draw(target);
      }
    },
    { rootMargin: NEAR_PX },
  );

  const isOn = () => document.documentElement.dataset.drawings !== "off";

  function all(article) {
    return [...article.querySelectorAll(":scope > .text pre[data-drawing]")];
  }

  function placeOf(pre) {
    const article = pre.closest(".message");
    return article ? [article.dataset.message, all(article).indexOf(pre)] : ["", -1];
  }

  function button(name, text) {
    const element = document.createElement("button");
    element.type = "button";
    element.className = `tool ${name}`;
    element.textContent = text;
    return element;
  }

  // Of code that has its bar.
  function offer(pre) {
    const bar = pre.querySelector(".code-bar");
    if (!isOn() || bar.querySelector(".drawing-views")) return;
    const views = document.createElement("span");
    views.className = "drawing-views";
    views.append(button("show-drawing", words.drawing), button("show-code", words.code));
    const menu = button("drawing-menu", "");
    menu.innerHTML = '<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M12 4v11m-5-5 5 5 5-5M5 20h14"/></svg>';
    menu.title = words.save_drawing;
    menu.setAttribute("aria-label", words.save_drawing);
    menu.setAttribute("aria-haspopup", "menu");
    const stop = button("stop-drawing", words.stop_drawing);
    bar.firstElementChild.after(stop, views);
    bar.append(menu);
    view(pre, false);
    seen.observe(pre);
  }

  function withdraw(pre) {
    seen.unobserve(pre);
    pre.classList.remove("drawn", "is-drawn", "being-drawn");
    pre.querySelectorAll(".drawing, .drawing-problem, .drawing-views, .drawing-menu, .stop-drawing").forEach((each) => each.remove());
  }

  // `is-drawn` says that there is a drawing, `drawn` that it is shown in place of the code.
  function view(pre, isDrawing) {
    pre.classList.toggle("drawn", isDrawing);
    pre.querySelector(".show-drawing")?.setAttribute("aria-pressed", String(isDrawing));
    pre.querySelector(".show-code")?.setAttribute("aria-pressed", String(!isDrawing));
  }

  function draw(pre) {
    const [id, index] = placeOf(pre);
    if (index < 0 || !pre.querySelector(".drawing-views")) return;
    pre.classList.add("being-drawn");
    pre.querySelector(".show-drawing").textContent = words.is_drawing;
    ask(id, index);
  }

  function show(id, index, told) {
    const article = document.getElementById(`message-${id}`);
    const pre = article && all(article)[index];
    if (!pre?.querySelector(".drawing-views")) return;
    const settled = () => {
      pre.classList.remove("being-drawn");
      pre.querySelector(".show-drawing").textContent = words.drawing;
    };
    if (told.problem !== undefined && !told.address) {
      settled();
      fail(pre, told.problem);
      return;
    }
    const image = new Image(Math.round(told.width), Math.round(told.height));
    image.alt = told.title || pre.querySelector("code").textContent.slice(0, ALT_CHARS);
    image.addEventListener("error", () => {
      settled();
      fail(pre, "SVG");
    });
    image.addEventListener("load", () => {
      settled();
      pre.querySelectorAll(".drawing, .drawing-problem").forEach((each) => each.remove());
      const box = document.createElement("div");
      box.className = "drawing";
      box.append(image);
      pre.querySelector(".code-bar").after(box);
      pre.classList.add("is-drawn");
      if (pre.dataset.view !== "code") view(pre, true);
      Reading.settle();
    });
    image.src = told.address;
  }

  function fail(pre, problem) {
    pre.querySelectorAll(".drawing, .drawing-problem").forEach((each) => each.remove());
    pre.classList.remove("is-drawn");
    view(pre, false);
    const line = document.createElement("p");
    line.className = "drawing-problem";
    line.textContent = words.not_drawn.replace("{problem}", () => problem);
    pre.querySelector(".code-bar").after(line);
  }

  function chooseDrawing(pre) {
    delete pre.dataset.view;
    if (pre.classList.contains("is-drawn")) view(pre, true);
    else draw(pre);
  }

  function chooseCode(pre) {
    pre.dataset.view = "code";
    view(pre, false);
  }

  function openMenu(element) {
    const pre = element.closest("pre");
    const box = element.getBoundingClientRect();
    askForMenu(...placeOf(pre), box.left, box.bottom);
  }

  // The colours have changed, or the setting: what was drawn is drawn anew when it comes near the view.
  function renew() {
    const { theme, drawings } = document.documentElement.dataset;
    const wanted = `${theme} ${drawings} ${document.documentElement.style.getPropertyValue("--accent")}`;
    if (wanted === shownFor) return;
    shownFor = wanted;
    for (const pre of document.querySelectorAll(".text pre[data-drawing]")) {
      if (!isOn()) withdraw(pre);
      else if (pre.querySelector(".drawing-views")) seen.observe(pre);
      else if (pre.querySelector(".code-bar")) offer(pre);
    }
  }

  function buttonOf(id, index) {
    const article = document.getElementById(`message-${id}`);
    return article && all(article)[index]?.querySelector(".drawing-menu");
  }

  return {
    buttonOf,
    chooseCode,
    chooseDrawing,
    offer,
    openMenu,
    renew,
    show,
    stop: (pre) => askToStop(...placeOf(pre)),
    speak: (spoken) => (words = spoken),
    onAsk: (then) => (ask = then),
    onStop: (then) => (askToStop = then),
    onMenu: (then) => (askForMenu = then),
  };
})();
