"use strict";

// Makes pictures of the code of answers, in a hidden page that has no network and no bridge. A picture is SVG that the
// conversation shows as an image, where no script runs and nothing is loaded. What runs here is our code and Mermaid's.
// The title of the page says which job is done; Python then takes its result.
const drawing = (() => {
  const STAGE_PX = 800;
  const HTML_PX = 720;
  const LEAST_PX = 16;
  const MOST_PX = 16_000;
  const MOST_SIDE_PX = 8_000;
  const MOST_PIXELS = 24_000_000;
  const PNG_SCALE = 2;
  const PROBLEM_CHARS = 400;
  const SVG = "http://www.w3.org/2000/svg";
  const UNWANTED = "script, template, iframe, frame, frameset, object, embed, applet, audio, video, source, track, link, meta, base, noscript, portal";
  // What a style sheet loads things with; what stands inside the file stays.
  const LOADS = /@import\b[^;]*(;|$)|@font-face\s*\{[^}]*\}?|(image-set|cross-fade|src|image|element)\s*\([^;}]*|url\s*\((?!\s*["']?\s*(#|data:image\/))[^)]*\)?/gi;
  const INSIDE = /^\s*(#|data:image\/(png|jpeg|gif|webp|svg\+xml)[;,])/i;
  const NAME = /^[a-z_][\w.-]*(:[a-z_][\w.-]*)?$/i;
  const ADDRESSES = new Set(["href", "base", "src", "srcset", "action", "formaction", "data", "poster", "background", "ping", "cite", "longdesc"]);

  const stage = document.getElementById("stage");
  let result = "";

  async function begin(job) {
    try {
      result = JSON.stringify(await makers[job.kind](job));
    } catch (error) {
      // Where it stands and not the list of all that could stand there.
      const words = String(error?.message ?? error?.str ?? error).split("\nExpecting ")[0];
      result = JSON.stringify({ problem: words.slice(0, PROBLEM_CHARS) });
    }
    stage.replaceChildren();
    document.title = String(job.id);
  }

  const makers = {
    async mermaid({ id, code, colors }) {
      await load("footnote-page://page/mermaid.min.js");
      mermaid.initialize({
        startOnLoad: false,
        securityLevel: "strict",
        suppressErrorRendering: true,
        deterministicIds: true,
        htmlLabels: false, // other programs do not know HTML in SVG
        flowchart: { htmlLabels: false },
        class: { htmlLabels: false },
        maxTextSize: 50_000,
        maxEdges: 500,
        logLevel: "fatal",
        fontFamily: "system-ui, sans-serif",
        theme: "base",
        darkMode: colors.isDark,
        themeVariables: themeOf(colors),
      });
      stage.style.width = `${STAGE_PX}px`;
      const { svg } = await mermaid.render(`drawing-${id}`, code, stage);
      const drawn = htmlOf(svg).querySelector("svg");
      drawn.style.background = colors.paper; // other programs show a saved file on white
      return picture(drawn, drawn.querySelector("title, .flowchartTitleText, .titleText, .pieTitleText")?.textContent);
    },

    async svg({ code }) {
      const parsed = new DOMParser().parseFromString(code, "image/svg+xml");
      const problem = parsed.querySelector("parsererror");
      const isSvg = !problem && parsed.documentElement.namespaceURI === SVG;
      // What a browser would take in a page is taken here: without a namespace, or with tags left open.
      const drawn = isSvg ? parsed.documentElement : htmlOf(code).querySelector("svg");
      const isCut = !isSvg && !drawn?.childElementCount; // it would be an empty picture
      if (isCut) throw new Error(problem?.querySelector("div")?.textContent ?? "<svg>?");
      return picture(drawn, drawn.querySelector("title")?.textContent);
    },

    async html({ code }) {
      const parsed = htmlOf(code);
      clean(parsed.documentElement);
      const { width, height } = sizeOf(parsed.documentElement.outerHTML);
      const drawn = document.createElementNS(SVG, "svg");
      drawn.setAttribute("viewBox", `0 0 ${width} ${height}`);
      const box = document.createElementNS(SVG, "foreignObject");
      box.setAttribute("width", width);
      box.setAttribute("height", height);
      const root = document.importNode(parsed.documentElement, true);
      root.style.cssText = `display: block; min-height: ${height}px; background: #fff; color: #000; ${root.style.cssText}`;
      box.append(root);
      drawn.append(box);
      return picture(drawn, parsed.title);
    },

    async png({ code, width, height, paper }) {
      const image = new Image();
      image.src = `data:image/svg+xml;base64,${base64(code)}`;
      await image.decode();
      const scale = Math.min(PNG_SCALE, MOST_SIDE_PX / width, MOST_SIDE_PX / height, Math.sqrt(MOST_PIXELS / (width * height)));
      const canvas = document.createElement("canvas");
      canvas.width = Math.max(1, Math.round(width * scale));
      canvas.height = Math.max(1, Math.round(height * scale));
      const context = canvas.getContext("2d");
      context.fillStyle = paper;
      context.fillRect(0, 0, canvas.width, canvas.height);
      context.drawImage(image, 0, 0, canvas.width, canvas.height);
      return { png: canvas.toDataURL("image/png").split(",")[1] };
    },
  };

  // --- Mermaid ---------------------------------------------------------------------------------

  function load(address) {
    if (globalThis.mermaid) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = address;
      script.addEventListener("load", resolve);
      script.addEventListener("error", () => reject(new Error(address)));
      document.head.append(script);
    });
  }

  function themeOf({ isDark, ink, paper, line, wash, accent, accentWash }) {
    return {
      darkMode: isDark,
      background: paper,
      primaryColor: accentWash,
      primaryTextColor: ink,
      primaryBorderColor: accent,
      secondaryColor: wash,
      tertiaryColor: wash,
      lineColor: line,
      textColor: ink,
      noteBkgColor: wash,
      noteTextColor: ink,
      noteBorderColor: line,
      edgeLabelBackground: paper,
      clusterBkg: wash,
      clusterBorder: line,
    };
  }

  // --- What is drawn, without what could load or run something elsewhere: it may be saved ----------

  function htmlOf(text) {
    return new DOMParser().parseFromString(text, "text/html");
  }

  function clean(root) {
    root.querySelectorAll(UNWANTED).forEach((element) => element.remove());
    for (const element of [root, ...root.querySelectorAll("*")]) {
      // HTML allows names that XML does not.
      if (!NAME.test(element.localName)) {
        element.replaceWith(...element.childNodes);
        continue;
      }
      if (element.localName === "style") element.textContent = withoutLoads(element.textContent);
      // An animation may set an address.
      if (/^(set|animate)/i.test(element.localName) && /href/i.test(element.getAttribute("attributeName") ?? "")) {
        element.remove();
        continue;
      }
      for (const { name, value } of [...element.attributes]) {
        // Without its prefix, which XML leaves to its author: `x:href` may be a link as well.
        const low = name.toLowerCase().split(":").pop();
        if (!NAME.test(name) || low.startsWith("on") || low === "srcdoc") element.removeAttribute(name);
        else if (ADDRESSES.has(low) && !name.startsWith("xmlns") && !INSIDE.test(value)) element.removeAttribute(name);
        else if (/[(\\]/.test(value) && !INSIDE.test(value)) element.setAttribute(name, withoutLoads(value));
      }
    }
  }

  function withoutLoads(style) {
    const plain = style.replace(/\\(?:([0-9a-f]{1,6})(?:\r\n|\s)?|([^0-9a-f\s"'\\]))/gi, (whole, code, sign) => {
      if (sign) return sign;
      const number = parseInt(code, 16);
      return number > 31 && number < 0x11_0000 && number !== 34 && number !== 39 ? String.fromCodePoint(number) : whole;
    });
    return LOADS.test(plain) ? plain.replace(LOADS, "none") : style;
  }

  function picture(drawn, title) {
    clean(drawn);
    const { width, height } = extentOf(drawn);
    if (!drawn.hasAttribute("viewBox")) drawn.setAttribute("viewBox", `0 0 ${width} ${height}`);
    drawn.setAttribute("width", width);
    drawn.setAttribute("height", height);
    drawn.style.removeProperty("max-width");
    return { svg: new XMLSerializer().serializeToString(drawn), width, height, title: (title ?? "").trim().slice(0, 200) };
  }

  function extentOf(drawn) {
    const box = (drawn.getAttribute("viewBox") ?? "").trim().split(/[\s,]+/).map(Number);
    const isBox = box.length === 4 && box[2] > 0 && box[3] > 0;
    let width = lengthOf(drawn.getAttribute("width"));
    let height = lengthOf(drawn.getAttribute("height"));
    if (isBox && !width && !height) [width, height] = [box[2], box[3]];
    else if (isBox) [width, height] = [width || (height * box[2]) / box[3], height || (width * box[3]) / box[2]];
    // Icons of 24 pixels are drawn larger: they are shown to be looked at.
    [width, height] = [width || 300, height || 150];
    const least = Math.max(width, height) < 64 ? 160 / Math.max(width, height) : 1;
    return { width: bounded(width * least), height: bounded(height * least) };
  }

  function lengthOf(text) {
    const found = /^\s*(\d+(?:\.\d+)?)(px|pt|mm|cm|in|em|rem)?\s*$/.exec(text ?? "");
    const unit = { pt: 4 / 3, mm: 96 / 25.4, cm: 96 / 2.54, in: 96, em: 16, rem: 16 };
    return found ? Number(found[1]) * (unit[found[2]] ?? 1) : 0;
  }

  function bounded(pixels) {
    return Math.round(Math.min(MOST_PX, Math.max(LEAST_PX, pixels)) * 100) / 100;
  }

  // In a frame of its own, where no script runs.
  function sizeOf(html) {
    const frame = document.createElement("iframe");
    frame.setAttribute("sandbox", "allow-same-origin");
    frame.width = HTML_PX;
    frame.height = 100;
    stage.append(frame);
    const inner = frame.contentDocument;
    inner.open();
    inner.write(`<!doctype html>${html}`);
    inner.close();
    const root = inner.documentElement;
    const body = inner.body;
    return {
      width: bounded(Math.max(HTML_PX, Math.min(root.scrollWidth, 2 * HTML_PX))),
      height: bounded(Math.max(body ? body.scrollHeight : 0, root.offsetHeight, 40)),
    };
  }

  function base64(text) {
    const bytes = new TextEncoder().encode(text);
    let joined = "";
    for (let at = 0; at < bytes.length; at += 0x8000) joined += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
    return btoa(joined);
  }

  return { begin, take: () => result };
})();
