// Each contestant writes a growing answer into `root`: feed(delta) has changed the DOM when it returns,
// or has left the rest to React's scheduler, whose work is counted as well.
import { deferredMs, idle } from "./clock.js";
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

function wholeContestant(render) {
  return (root) => {
    let text = "";
    return (delta) => {
      text += delta;
      root.innerHTML = render(text);
    };
  };
}

const plugins = [remarkGfm];
const MarkdownBlock = memo(({ text }) => createElement(ReactMarkdown, { remarkPlugins: plugins }, text));
const markdownIt = new MarkdownIt();

const contestants = {
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
    const feed = (delta) => smd.parser_write(parser, delta);
    feed.end = () => smd.parser_end(parser);
    return feed;
  },
  streamdown: reactContestant((text) => createElement(Streamdown, { controls: false }, text)),
  "react-markdown": reactContestant((text) => createElement(ReactMarkdown, { remarkPlugins: plugins }, text)),
  "react-markdown, memo blocks": reactContestant((text) =>
    marked.lexer(text).map((block, index) => createElement(MarkdownBlock, { key: index, text: block.raw })),
  ),
  marked: wholeContestant((text) => DOMPurify.sanitize(marked.parse(text))),
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
  "markdown-it": wholeContestant((text) => markdownIt.render(text)),
  // Footnote's page itself, given the scripts that its Python side made: run as runJavaScript runs them.
  footnote: () => (script) => (0, eval)(script),
};

// Feeds each piece, goes to the end as a chat does, and forces the layout; returns the milliseconds of
// those pieces that count. If it is traced, marks say when each of them begins and ends.
globalThis.measure = async (name, pieces, counts, isTraced) => {
  const root = document.querySelector(".text");
  const scroller = document.scrollingElement;
  const feed = contestants[name](root);
  const times = [];
  for (let index = 0; index < pieces.length; index += 1) {
    // Between the windows the page may finish what it put off.
    if (counts[index] !== counts[index - 1]) await new Promise((then) => setTimeout(then, 20));
    const deferred = deferredMs();
    if (isTraced && counts[index]) performance.mark("begin");
    const start = performance.now();
    feed(pieces[index]);
    scroller.scrollTop = scroller.scrollHeight;
    const atOnce = performance.now() - start;
    if (isTraced && counts[index]) performance.mark("end");
    await idle();
    if (counts[index]) times.push(atOnce + deferredMs() - deferred);
  }
  await new Promise((then) => setTimeout(then, 20));
  return { times, letters: (root.textContent.match(/\p{L}/gu) ?? []).length };
};

// --- How many of the specification's examples come out right ---------------------------------------

// Streamdown draws its own boxes around everything: for the examples it shall use the plain elements.
const TAGS = "h1 h2 h3 h4 h5 h6 p a ul ol li blockquote pre code strong em del hr img table thead tbody tr th td";
const bare = Object.fromEntries(
  TAGS.split(" ").map((tag) => [tag, ({ node: _node, ...rest }) => createElement(tag, rest)]),
);
const scored = {
  ...contestants,
  streamdown: reactContestant((text) => createElement(Streamdown, { controls: false, components: bare }, text)),
};

// The elements with what they say and where they lead; what only groups or draws is left out.
function skeleton(node, isCode = false) {
  if (node.nodeType === Node.TEXT_NODE) return isCode ? node.data : node.data.replace(/\s+/g, " ");
  const inner = [...node.childNodes].map((child) => skeleton(child, isCode || node.localName === "pre")).join("");
  if (["div", "span", "main"].includes(node.localName)) return inner;
  const attributes = ["href", "src", "title", "alt", "start"].map((name) => node.getAttribute(name) ?? "");
  return `<${node.localName} ${attributes.join(" ")}>${isCode ? inner : inner.trim()}</>`;
}

const tidied = (text) => text.replace(/\s*(<\/?[^>]*>)\s*/g, "$1").trim();

globalThis.score = async (name, examples) => {
  let right = 0;
  for (const { markdown, html, ours } of examples) {
    const root = document.createElement("div");
    if (name === "footnote") root.innerHTML = ours;
    else {
      const feed = scored[name](root);
      feed(markdown);
      feed.end?.();
      await idle();
    }
    const expected = document.createElement("div");
    expected.innerHTML = html;
    right += tidied(skeleton(root)) === tidied(skeleton(expected));
  }
  return right;
};
