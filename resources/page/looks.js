"use strict";

/* The look that the window has: theme, accent, font, density, and a style sheet of the user's own. */
const Looks = (() => {
  // Its text was parsed and written anew before it came here; it loads nothing.
  const own = new CSSStyleSheet();
  document.adoptedStyleSheets = [own];

  const apply = (look) => {
    const { dataset, style } = document.documentElement;
    dataset.theme = look.theme;
    dataset.density = look.density;
    dataset.motion = look.motion;
    dataset.drawings = look.drawings;
    style.setProperty("--accent", look.accent);
    style.setProperty("--accent-wash", look.wash);
    if (look.font) style.setProperty("--sans", `"${CSS.escape(look.font)}", var(--sans-stack)`);
    else style.removeProperty("--sans");
    own.replaceSync(look.style);
  };

  // The look of a page that has its first content already.
  const first = document.documentElement.dataset.look;
  if (first) apply(JSON.parse(first));

  return { apply };
})();
