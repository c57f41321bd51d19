"use strict";

// What every part of the page needs of the DOM. Classic scripts: each gives one name to those after it.
const Dom = (() => {
  const GROUP = 16;

  function article(id) {
    return document.getElementById(`message-${id}`);
  }

  function elements(html) {
    const template = document.createElement("template");
    template.innerHTML = html;
    return [...template.content.children];
  }

  // The blocks of a text lie in groups: a layout visits every child on its way to the last one, and that is most of
  // what a word at the end of a long answer costs.
  function groupOf(body, index) {
    const at = Math.floor(index / GROUP);
    return body.children[at] ?? body.appendChild(group());
  }

  function group() {
    const element = document.createElement("div");
    element.className = "blocks";
    return element;
  }

  // The element at a path, and where it stands: also that of one that is to come.
  function find(body, path) {
    const [parent, index] = spot(body, path);
    return parent.children[index];
  }

  function spot(body, path) {
    if (path.length === 1) return [groupOf(body, path[0]), path[0] % GROUP];
    let parent = groupOf(body, path[0]).children[path[0] % GROUP];
    for (let depth = 1; depth < path.length - 1; depth++) parent = parent.children[path[depth]];
    return [parent, path.at(-1)];
  }

  // Removes the element at a path, and what follows it.
  function drop(body, path) {
    const [parent, index] = spot(body, path);
    while (parent.children.length > index) parent.lastElementChild.remove();
    if (path.length > 1) return;
    while (parent.nextElementSibling) parent.nextElementSibling.remove();
    if (index === 0) parent.remove();
  }

  function hasTextBehind(element) {
    const next = element.nextSibling;
    return next !== null && next.nodeValue !== null && next.nodeValue.trim() !== "";
  }

  // The text that grew last, and the element at whose end it stands: nearly always it grows again.
  let grown = null;
  let grownIn = null;

  // Behind the last text there is, however deep it stands.
  function appendBehind(element, text) {
    if (element === grownIn && grown.isConnected) {
      grown.appendData(text);
      return;
    }
    let end = element;
    while (end.lastElementChild && !hasTextBehind(end.lastElementChild)) end = end.lastElementChild;
    if (Pieces.extend(end, text)) return;
    grown = put(end, text);
    grownIn = element;
  }

  // Behind all that an element holds.
  function appendOuter(element, text) {
    grown = put(element, text);
    grownIn = element;
  }

  // To be called when anything else has changed than the text that grew last.
  function forgetEnd() {
    grown = grownIn = null;
  }

  function appendText(element, text) {
    if (!Pieces.extend(element, text)) put(element, text);
  }

  function put(element, text) {
    const last = element.lastChild;
    if (last?.nodeType !== Node.TEXT_NODE) return element.appendChild(document.createTextNode(text));
    last.appendData(text);
    return last;
  }

  // Makes an element what another of its kind is. What is equal stays: only the rest is laid out again.
  function become(old, fresh) {
    for (const { name } of [...old.attributes]) if (!fresh.hasAttribute(name)) old.removeAttribute(name);
    for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
    let at = old.firstChild;
    let wanted = fresh.firstChild;
    while (at && wanted) {
      const [here, there] = [at, wanted];
      [at, wanted] = [at.nextSibling, wanted.nextSibling];
      if (!here.isEqualNode(there)) becomeNode(here, there);
    }
    while (at) {
      const rest = at;
      at = at.nextSibling;
      rest.remove();
    }
    while (wanted) {
      const rest = wanted;
      wanted = wanted.nextSibling;
      old.append(rest);
    }
  }

  function becomeNode(old, fresh) {
    if (old.nodeName !== fresh.nodeName) old.replaceWith(fresh);
    else if (old.nodeType !== Node.TEXT_NODE) become(old, fresh);
    else if (fresh.data.startsWith(old.data)) old.appendData(fresh.data.slice(old.length));
    else old.data = fresh.data;
  }

  // A block that is replaced keeps what was selected in it.
  function replaceKeepingSelection(old, fresh) {
    if (!hasSelection(old)) {
      old.replaceWith(fresh);
      return;
    }
    const selection = document.getSelection();
    const inside = ["anchor", "focus"].map((end) => old.contains(selection[`${end}Node`]));
    const ends = ["anchor", "focus"].map((end, i) =>
      inside[i]
        ? offsetIn(old, selection[`${end}Node`], selection[`${end}Offset`])
        : [selection[`${end}Node`], selection[`${end}Offset`]],
    );
    old.replaceWith(fresh);
    const [from, to] = ends.map((end, i) => (inside[i] ? pointAt(fresh, end) : end));
    selection.setBaseAndExtent(from[0], from[1], to[0], to[1]);
  }

  function hasSelection(element) {
    const selection = document.getSelection();
    return !selection.isCollapsed && (element.contains(selection.anchorNode) || element.contains(selection.focusNode));
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

  return { article, elements, find, spot, drop, appendBehind, appendOuter, appendText, become, forgetEnd, hasSelection, replaceKeepingSelection };
})();
