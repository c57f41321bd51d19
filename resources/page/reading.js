"use strict";

// Where the user reads: follows the end only from the end, keeps the place of messages that are not
// written yet, and says which of them come near the view.
const Reading = (() => {
  const END_SLACK_PX = 32;
  const NEAR_VIEWS = 1.5;
  const ASK_AT_ONCE = 2;
  const LINE_PX = 26;
  const LETTER_PX = 8.2;
  const QUESTION_PX = 36;
  const ANSWER_PX = 90;
  const ARRIVAL_PX = 24;
  const ARRIVAL_MS = 2500;
  const FAR_VIEWS = 10;
  const MOST_ELEMENTS = 20_000;
  const FAR_MS = 2000;

  const scroller = document.scrollingElement;
  const conversation = document.getElementById("conversation");
  const toEnd = document.getElementById("to-end");
  const pending = new Set();
  const asked = new Set();

  let ask = () => {};
  let giveUp = () => {};
  let farTimer = 0;
  let follows = true;
  let lastTop = 0;
  let endHeight = 0;
  let frame = 0;

  // --- Places ----------------------------------------------------------------------------------

  function placeholder(place) {
    const article = document.createElement("article");
    article.id = `message-${place.id}`;
    article.tabIndex = -1;
    article.dataset.message = place.id;
    becomePlace(article, place);
    return article;
  }

  function becomePlace(article, place) {
    article.className = `message ${place.is_question ? "person" : "answer"} pending`;
    article.setAttribute("aria-label", place.name);
    article.dataset.units = place.units;
    article.dataset.lines = place.lines;
    pending.add(place.id);
  }

  function addPlaces(places) {
    const fragment = document.createDocumentFragment();
    const columns = columnsNow();
    for (const place of places) {
      const article = placeholder(place);
      keepRoom(article, columns);
      fragment.append(article);
    }
    conversation.prepend(fragment);
  }

  function columnsNow() {
    const style = getComputedStyle(conversation);
    const room = conversation.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    return Math.max(10, room / LETTER_PX);
  }

  function keepRoom(article, columns) {
    const lines = Number(article.dataset.units) / columns + Number(article.dataset.lines) * 0.6 + 1;
    const frame = article.classList.contains("person") ? QUESTION_PX : ANSWER_PX;
    article.style.setProperty("--room", `${Math.round(frame + lines * LINE_PX)}px`);
  }

  // Of a message that is here: its size until it has been in view.
  function estimate(article) {
    const text = article.textContent;
    article.dataset.units = text.length + (text.match(/[\u2e80-\uffdf]/g)?.length ?? 0);
    article.dataset.lines = text.split("\n").length - 1;
    keepRoom(article, columnsNow());
  }

  // In place, because the view may be anchored to it.
  function fill(article, fresh) {
    article.className = fresh.className;
    Object.assign(article.dataset, fresh.dataset);
    const text = fresh.getAttribute("aria-describedby");
    if (text) article.setAttribute("aria-describedby", text);
    article.replaceChildren(...fresh.childNodes);
    asked.delete(article.dataset.message);
    pending.delete(article.dataset.message);
  }

  function remove(article) {
    asked.delete(article.dataset.message);
    pending.delete(article.dataset.message);
    article.remove();
  }

  // Of a message that is here, and far: it keeps its height, and comes back as any other place does.
  function letGo(place) {
    const article = document.getElementById(`message-${place.id}`);
    if (!article || article.classList.contains("pending")) return;
    article.style.setProperty("--room", `${article.offsetHeight}px`);
    becomePlace(article, place);
    article.replaceChildren();
  }

  // What is far is given up, the farthest first, until the page is no more than full.
  function lookWhatIsFar() {
    farTimer = 0;
    let held = sizeOf(conversation);
    if (held <= MOST_ELEMENTS) return;
    const distances = new Map();
    for (const article of conversation.children) {
      if (isIdle(article)) distances.set(article, gapTo(article));
    }
    const far = [...distances.keys()].filter((article) => distances.get(article) > FAR_VIEWS * innerHeight);
    far.sort((a, b) => distances.get(b) - distances.get(a));
    const ids = [];
    for (const article of far) {
      if (held <= MOST_ELEMENTS) break;
      held -= sizeOf(article);
      ids.push(article.dataset.message);
    }
    if (ids.length > 0) giveUp(ids);
  }

  function sizeOf(element) {
    return element.getElementsByTagName("*").length;
  }

  function isIdle(article) {
    const isWritten = article.dataset.message && !article.matches(".pending, .streaming");
    return isWritten && !article.contains(document.activeElement) && !document.getSelection().containsNode(article, true);
  }

  // How far it is from the view to the nearer edge of an article.
  function gapTo(article) {
    const top = scroller.scrollTop;
    return Math.max(article.offsetTop - top - innerHeight, top - article.offsetTop - article.offsetHeight, 0);
  }

  // The children are in the order of their tops: few of them have to be looked at.
  function near() {
    const margin = innerHeight * NEAR_VIEWS;
    const top = scroller.scrollTop - margin;
    const bottom = scroller.scrollTop + innerHeight + margin;
    const all = conversation.children;
    const found = [];
    for (let i = firstBelow(top); i < all.length && all[i].offsetTop < bottom; i++) found.push(all[i]);
    return found;
  }

  function firstBelow(top) {
    const all = conversation.children;
    let [low, high] = [0, all.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (all[middle].offsetTop + all[middle].offsetHeight < top) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  // One request at a time, what is in view first: who scrolls fast does not wait for what has passed.
  function askForNear() {
    if (asked.size > 0 || pending.size === 0) return;
    const middle = scroller.scrollTop + innerHeight / 2;
    const distance = (article) => Math.abs(article.offsetTop + article.offsetHeight / 2 - middle);
    const wanted = near().filter((article) => article.classList.contains("pending"));
    if (wanted.length === 0) return;
    wanted.sort((a, b) => distance(a) - distance(b));
    const ids = wanted.slice(0, ASK_AT_ONCE).map((article) => article.dataset.message);
    ids.forEach((id) => asked.add(id));
    ask(ids);
  }

  // --- The end, and the place ------------------------------------------------------------------

  function isAtEnd() {
    return scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop < END_SLACK_PX;
  }

  // Every question about the layout costs, even where nothing has changed: the height is asked for first, and no more
  // if the page was at its end at that height and has not been scrolled since.
  function goToEnd() {
    const height = scroller.scrollHeight;
    if (height === endHeight) return;
    scroller.scrollTop = height;
    lastTop = scroller.scrollTop;
    endHeight = height;
    offerEnd(false);
  }

  // Writing the same value once more would make the page compute its style again.
  function offerEnd(isOffered) {
    if (toEnd.hidden === isOffered) toEnd.hidden = !isOffered;
  }

  function place() {
    const article = conversation.children[firstBelow(scroller.scrollTop)];
    return article && { id: article.id, from: offsetOf(article) };
  }

  function offsetOf(article) {
    return article.offsetTop - scroller.scrollTop;
  }

  function returnTo(kept) {
    const article = kept && document.getElementById(kept.id);
    if (article) scroller.scrollTop = article.offsetTop - kept.from;
  }

  // Once more when what came into view has its real height; then it says for a while that it is the one.
  function arriveAt(article) {
    const arrive = () => returnTo({ id: article.id, from: ARRIVAL_PX });
    follow(false);
    arrive();
    requestAnimationFrame(() => requestAnimationFrame(arrive));
    article.classList.add("arrived");
    setTimeout(() => article.classList.remove("arrived"), ARRIVAL_MS);
  }

  function follow(doesFollow) {
    follows = doesFollow;
    endHeight = 0;
  }

  // After the page has changed.
  function settle() {
    if (follows) goToEnd();
    else offerEnd(!isAtEnd());
    lookSoon();
    farTimer ||= setTimeout(lookWhatIsFar, FAR_MS);
  }

  function forget() {
    asked.clear();
    pending.clear();
    follow(true);
  }

  let looked = () => {};
  let isWatched = () => false;

  // A frame of its own: only if there is something to look for.
  function lookSoon() {
    if (!frame && (pending.size > 0 || isWatched())) frame = requestAnimationFrame(look);
  }

  function look() {
    frame = 0;
    askForNear();
    if (isWatched()) looked();
  }

  // Going up at all is leaving the end; only coming back to the end is following it again.
  function note() {
    const top = scroller.scrollTop;
    if (top < lastTop - 1) follows = isAtEnd();
    else if (top > lastTop && isAtEnd()) follows = true;
    if (top !== lastTop) endHeight = 0;
    lastTop = top;
  }

  addEventListener(
    "scroll",
    () => {
      note();
      offerEnd(!isAtEnd());
      lookSoon();
    },
    { passive: true },
  );

  addEventListener("resize", () => {
    const columns = columnsNow();
    conversation.querySelectorAll(":scope > .pending").forEach((article) => keepRoom(article, columns));
    endHeight = 0;
    settle();
  });

  toEnd.addEventListener("click", () => {
    follow(true);
    goToEnd();
  });

  return {
    addPlaces,
    arriveAt,
    estimate,
    fill,
    follow,
    forget,
    letGo,
    near,
    note,
    offsetOf,
    place,
    remove,
    returnTo,
    settle,
    get follows() {
      return follows;
    },
    onAsk: (then) => (ask = then),
    onFar: (then) => (giveUp = then),
    onLook: (then, isNeeded) => ([looked, isWatched] = [then, isNeeded]),
  };
})();
