"use strict";

// What every part of the page needs of the DOM. Classic scripts: each gives one name to those after it.
const Dom = (() => {
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

  // Behind the last text there is, however deep it stands.
  function appendBehind(element, text) {
    let end = element;
    while (end.lastElementChild && !hasTextBehind(end.lastElementChild)) end = end.lastElementChild;
    appendText(end, text);
  }

  function appendText(element, text) {
    if (Pieces.extend(element, text)) return;
    const last = element.lastChild;
    if (last && last.nodeType === Node.TEXT_NODE) last.appendData(text);
    else element.append(text);
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

  return { article, elements, find, appendBehind, appendText, become, hasSelection, replaceKeepingSelection };
})();
