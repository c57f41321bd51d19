// Each contestant writes a growing answer into `root`: feed(delta) has changed the DOM when it returns.
import DOMPurify from "dompurify";
import MarkdownIt from "markdown-it";
import { marked } from "marked";
import { createElement, memo } from "react";
import { createRoot } from "react-dom/client";
import { flushSync } from "react-dom";
import ReactMarkdown from "react-markdown";
import remarkGfm from "remark-gfm";
import * as smd from "streaming-markdown";
import { Streamdown } from "streamdown";

function reactContestant(element) {
  return (root) => {
    const tree = createRoot(root);
    let text = "";
    return (delta) => {
      text += delta;
      flushSync(() => tree.render(element(text)));
    };
  };
}

const plugins = [remarkGfm];
const MarkdownBlock = memo(({ text }) => createElement(ReactMarkdown, { remarkPlugins: plugins }, text));

globalThis.contestants = {
  "text only": (root) => {
    let node = null;
    return (delta) => {
      delta.split("\n\n").forEach((part, index) => {
        if (index > 0 || node === null) {
          node = root.appendChild(document.createElement("p")).appendChild(document.createTextNode(""));
        }
        node.appendData(part);
      });
    };
  },
  "streaming-markdown": (root) => {
    const parser = smd.parser(smd.default_renderer(root));
    return (delta) => smd.parser_write(parser, delta);
  },
  streamdown: reactContestant((text) => createElement(Streamdown, { controls: false }, text)),
  "react-markdown, memo blocks": reactContestant((text) =>
    marked.lexer(text).map((block, index) => createElement(MarkdownBlock, { key: index, text: block.raw })),
  ),
  "marked, per block": (root) => {
    let text = "";
    const shown = [];
    return (delta) => {
      text += delta;
      const blocks = marked.lexer(text);
      blocks.forEach((block, index) => {
        if (shown[index] === block.raw) return;
        shown[index] = block.raw;
        const element = root.children[index] ?? root.appendChild(document.createElement("div"));
        const tokens = Object.assign([block], { links: blocks.links });
        element.innerHTML = DOMPurify.sanitize(marked.parser(tokens));
      });
      shown.length = blocks.length;
      while (root.children.length > blocks.length) root.lastElementChild.remove();
    };
  },
  "markdown-it, whole": (root) => {
    const md = new MarkdownIt();
    let text = "";
    return (delta) => {
      text += delta;
      root.innerHTML = md.render(text);
    };
  },
  // Footnote's page itself, given what its Python side made: run as runJavaScript runs it.
  footnote: () => (operations) => (0, eval)(`footnote.update(${operations})`),
};

// Feeds each piece and forces the layout; returns the milliseconds of those pieces that count.
globalThis.measure = async (name, pieces, counts) => {
  const root = document.querySelector(".text");
  const feed = globalThis.contestants[name](root);
  const times = [];
  for (let index = 0; index < pieces.length; index += 1) {
    // Between the windows the page may finish what it put off.
    if (counts[index] !== counts[index - 1]) await new Promise((then) => setTimeout(then, 20));
    const start = performance.now();
    feed(pieces[index]);
    void document.scrollingElement.scrollHeight;
    if (counts[index]) times.push(performance.now() - start);
  }
  await new Promise((then) => setTimeout(then, 20));
  return { times, letters: (root.textContent.match(/\p{L}/gu) ?? []).length };
};
