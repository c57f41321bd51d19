"use strict";

// The panel of a procedure: keeps what the user has open, reads and types there while it changes, and
// reports what they want of it.
const Research = (() => {
  const announcer = document.getElementById("announcer");
  let steer = () => {};
  let startPlan = () => {};
  let startOutline = () => {};
  let beside = "";

  // --- Changing --------------------------------------------------------------------------------

  function update(part, html) {
    const [fresh] = Dom.elements(html);
    const old = part.querySelector(":scope > .board");
    if (!fresh || !old) {
      part.replaceChildren(...(fresh ? [fresh] : []));
      return;
    }
    old.className = fresh.className;
    fold(old, fresh);
    const [name, freshName] = [old, fresh].map((board) => board.querySelector(".board-name"));
    if (name.textContent !== freshName.textContent) {
      name.textContent = freshName.textContent;
      announcer.textContent = freshName.textContent;
    }
    updatePieces(old.querySelector(".pieces"), fresh.querySelector(".pieces"));
  }

  function updatePieces(old, fresh) {
    const known = new Map([...old.children].map((piece) => [piece.dataset.piece, piece]));
    const wanted = [...fresh.children];
    const names = new Set(wanted.map((piece) => piece.dataset.piece));
    for (const [name, piece] of known) if (!names.has(name)) piece.remove();
    let at = old.firstElementChild;
    for (const piece of wanted) {
      const was = known.get(piece.dataset.piece);
      if (!was) {
        old.insertBefore(piece, at);
        continue;
      }
      at = was.nextElementSibling;
      if (was.dataset.stamp !== piece.dataset.stamp) replace(was, piece);
    }
  }

  function replace(old, fresh) {
    const details = [old, fresh].map((piece) => piece.querySelector(":scope > details"));
    if (details.every(Boolean)) {
      details[1].open = details[0].dataset.folded === details[1].dataset.folded ? details[0].open : details[1].open;
    }
    const focused = old.contains(document.activeElement) ? document.activeElement : null;
    Dom.replaceKeepingSelection(old, fresh);
    if (!focused) return;
    const key = focused.dataset.focus;
    const again = key && fresh.querySelector(`[data-focus="${key}"]:not(:disabled)`);
    (again || fresh.querySelector("summary, button:not(:disabled)"))?.focus({ preventScroll: true });
  }

  // What the user has opened or closed stays so until the research folds or unfolds it.
  function fold(old, fresh) {
    if (old.dataset.folded === fresh.dataset.folded) return;
    old.dataset.folded = fresh.dataset.folded;
    old.open = fresh.open;
  }

  // The answer whose research the panel beside the page shows: it does not say the same.
  function showBeside(id) {
    beside = id;
    document.querySelector(".research.beside")?.classList.remove("beside");
    markBeside();
  }

  function markBeside() {
    if (beside) Dom.article(beside)?.querySelector(":scope > .research")?.classList.add("beside");
  }

  // --- What the user wants -------------------------------------------------------------------

  const presses = {
    add(button) {
      const editor = button.closest(".editor");
      const list = editor.querySelector("ol");
      if (list.children.length >= Number(editor.dataset.most)) return;
      list.append(editor.querySelector("template").content.cloneNode(true));
      number(list);
      list.lastElementChild.querySelector("input").focus();
    },
    remove(button) {
      const row = button.closest("li");
      const list = row.parentElement;
      const next = row.nextElementSibling || row.previousElementSibling;
      row.remove();
      number(list);
      (next?.querySelector("input") || list.closest(".editor").querySelector("[data-research=add]")).focus();
    },
    start(button, id, again = null) {
      const editor = button.closest(".editor");
      const rows = [...editor.querySelectorAll("ol > li")];
      const texts = rows.map((row) => row.querySelector("input").value);
      if (editor.dataset.kind === "outline") startOutline(id, rows.map((row) => Number(row.dataset.origin)), texts, rows.indexOf(again));
      else startPlan(id, rows.map((row) => row.querySelector("select").value), texts);
    },
    rewrite(button, id) {
      presses.start(button, id, button.closest("li"));
    },
    up(button) {
      const row = button.closest("li");
      row.previousElementSibling?.before(row);
      number(row.parentElement);
      button.focus();
    },
    remark(button, id) {
      const input = button.parentElement.querySelector("input");
      if (input.value.trim()) steer(id, "remark", input.value);
      input.value = "";
      input.focus();
    },
  };

  function press(button) {
    const kind = button.dataset.research;
    const id = button.closest(".message").dataset.message;
    if (presses[kind]) presses[kind](button, id);
    else steer(id, kind, "");
  }

  // The names of the rows count on.
  function number(list) {
    [...list.children].forEach((row, index) => {
      for (const element of row.querySelectorAll("[aria-label], [title]")) {
        for (const name of ["aria-label", "title"]) {
          const words = element.getAttribute(name);
          if (words) element.setAttribute(name, words.replace(/\{number\}|\d+/, String(index + 1)));
        }
      }
    });
  }

  document.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing || !(event.target instanceof HTMLInputElement)) return;
    if (event.target.matches(".remark")) press(event.target.parentElement.querySelector("[data-research=remark]"));
    else if (event.target.matches(".query")) press(event.target.closest(".editor").querySelector("[data-research=add]"));
  });

  return {
    press,
    update,
    markBeside,
    showBeside,
    onSteer: (then) => (steer = then),
    onStart: (then) => (startPlan = then),
    onOutline: (then) => (startOutline = then),
  };
})();
