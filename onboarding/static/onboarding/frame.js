// The applicant's pages inside a partner's page. The key of the session lives in this closure,
// nowhere else: no cookie, no storage, no URL. Messages carry no personal data.
"use strict";

(() => {
  const OPEN = ["CREATED", "IN_PROGRESS"]; // not submitted yet
  const OVER = ["EXPIRED", "WITHDRAWN"]; // never submitted, if it was open before
  const TIMEOUT = 15000; // milliseconds until the host must have handed over a token
  const GLANCE = 5000; // milliseconds between two looks at a status that others may change
  const GLANCES = 180;

  const { origins, session } = document.body.dataset;
  const allowed = origins ? origins.split(" ") : [];
  let host = ""; // the parent's origin, once it has shown itself
  let key = "";
  let path = ""; // of the page that is shown
  let shown = {}; // its step and its status
  let isGoingBack = false;
  let again = null; // what was refused for want of a session
  let glances = 0;
  let isTyped = false; // into the page that is shown

  try {
    sessionStorage.removeItem("htmx-current-path-for-history"); // which htmx sets when it loads
  } catch {
    // the browser forbids storage in a frame of another site
  }

  function tell(type, details = {}) {
    if (host) parent.postMessage({ vestibule: 1, type, ...details }, host);
  }

  function measure() {
    if (document.getElementById("waiting")) return; // the host's page would shrink and grow again
    tell("resize", { height: document.body.offsetHeight });
  }

  function words(name) {
    return document.getElementById(name).content.cloneNode(true);
  }

  function say(name) {
    document.getElementById("content").replaceChildren(words(name));
  }

  function notice(name) {
    const place = document.getElementById("notice");
    place.replaceChildren(...(name ? [words(name)] : []));
    if (name) place.focus();
  }

  function load(page) {
    htmx.ajax("GET", page, { source: document.body, target: "#flow", select: "#flow", swap: "outerHTML" });
  }

  // The token and the session

  async function enter(token) {
    let answer;
    try {
      answer = await fetch(session, {
        method: "POST",
        credentials: "omit",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ token, language: document.documentElement.lang, timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone }),
      });
    } catch {
      answer = { status: 0 };
    }
    if (answer.status !== 200) return refuse(answer.status);
    const opened = await answer.json();
    key = opened.session;
    notice();
    const retry = again;
    again = null;
    if (retry) retry();
    else if (!isTyped) load(path || opened.location);
  }

  function refuse(status) {
    const put = path ? notice : say;
    if (status === 401) {
      put("spent");
      tell("token_expired");
    } else if (status === 410) {
      put("closed");
      tell("error", { code: "closed" });
    } else {
      put("unavailable");
      tell("error", { code: "unavailable" });
    }
  }

  addEventListener("message", ({ source, origin, data }) => {
    if (source !== parent || !allowed.includes(origin) || (host && origin !== host)) return;
    if (data?.vestibule !== 1 || data.type !== "token" || typeof data.token !== "string") return;
    host = origin;
    measure();
    enter(data.token);
  });

  // The pages

  document.addEventListener("htmx:configRequest", ({ detail }) => {
    detail.headers.Authorization = `Bearer ${key}`;
    const pressed = detail.triggeringEvent?.submitter; // may stand outside of its form
    if (pressed?.name && !detail.formData.has(pressed.name)) detail.formData.append(pressed.name, pressed.value);
  });

  document.addEventListener("htmx:beforeSwap", ({ detail }) => {
    const { elt, triggeringEvent } = detail.requestConfig;
    const isPage = detail.serverResponse.includes('id="flow"');
    if (detail.xhr.status === 401) {
      key = "";
      if (elt.matches("a")) again = () => elt.click();
      else if (elt.matches("form")) again = () => elt.requestSubmit(triggeringEvent?.submitter);
      else if (elt !== document.body) again = () => {}; // an upload, which offers to try again
      return refuse(401);
    }
    if (!isPage) {
      detail.shouldSwap = false;
      return refuse(0);
    }
    const spoken = /<html lang="([\w-]+)"(?: dir="(rtl)")?/.exec(detail.serverResponse);
    if (spoken) Object.assign(document.documentElement, { lang: spoken[1], dir: spoken[2] ?? "" });
    if (elt === document.body && isTyped && !isGoingBack) { // a newer status waits until the applicant sends what is typed
      detail.shouldSwap = false;
      return undefined;
    }
    path = new URL(detail.xhr.responseURL || path, location.href).pathname;
    notice();
  });

  document.addEventListener("input", () => { isTyped = true; });
  document.addEventListener("htmx:afterSwap", ({ target }) => { if (target.id === "flow") isTyped = false; });
  document.addEventListener("htmx:afterSettle", look);
  for (const fault of ["htmx:responseError", "htmx:sendError", "htmx:timeout"]) {
    document.addEventListener(fault, ({ detail }) => {
      if (detail.requestConfig?.elt.id !== "carrier") refuse(0); // uploads say so themselves
    });
  }

  function look() {
    remember();
    const { step, status } = document.getElementById("flow").dataset;
    const before = shown;
    isGoingBack = false;
    shown = { step: step ?? before.step, status: status ?? before.status };
    if (shown.step !== before.step) tell("step_changed", { step: shown.step });
    if (shown.status === before.status) return;
    if (OPEN.includes(before.status) && ![...OPEN, ...OVER].includes(shown.status)) {
      tell("submitted", { status: shown.status });
    }
    tell("status_changed", { status: shown.status });
    if (shown.status === "DOCUMENTS_REQUIRED") tell("documents_required");
    glances = 0;
  }

  // Back and Forward of the browser lead through the pages of the frame; its address stays.

  function remember() {
    if (!path || path === history.state?.path) return;
    if (history.state && !isGoingBack) history.pushState({ path }, "");
    else history.replaceState({ path }, ""); // a page that redirects is not gone back to again
  }

  addEventListener("popstate", ({ state }) => {
    if (!state?.path) return;
    document.activeElement?.blur(); // what was typed last is kept by typing.js
    isGoingBack = true;
    load(state.path);
  });

  setInterval(async () => {
    if (document.hidden || isTyped || !key || !watched() || isAsking() || ++glances > GLANCES) return;
    const answer = await ask(path).catch(() => null);
    const found = answer?.ok && / data-watched="([\w-]+)"/.exec(await answer.text());
    if (found && watched() && found[1] !== watched() && !isAsking()) load(path);
  }, GLANCE);

  function isAsking() {
    return Boolean(document.querySelector(".htmx-request")); // for a page, which a look must not take the place of
  }

  function watched() {
    return document.getElementById("flow").dataset.watched;
  }

  // For typing.js: a request to this site with the key, which stays here.
  window.applicantFetch = (page, options) => {
    const url = new URL(page, location.href);
    if (url.origin !== location.origin) throw new TypeError("another site");
    const headers = { ...options.headers, Authorization: `Bearer ${key}` };
    return fetch(url, { ...options, credentials: "omit", headers });
  };

  function ask(page) {
    return fetch(page, { credentials: "omit", headers: { Authorization: `Bearer ${key}` } });
  }

  // What is no page: the way out, and documents, which no plain link can open without the key

  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[data-exit], button[data-exit], a[data-preview]");
    if (!link) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if ("exit" in link.dataset) tell("exit");
    else preview(link);
  }, true);

  async function preview(link) {
    const answer = await ask(link.href).catch(() => ({ status: 0 }));
    if (!answer.ok) return refuse(answer.status);
    const url = URL.createObjectURL(await answer.blob());
    if (!answer.headers.get("Content-Type").startsWith("image/")) return save(url, link);
    const figure = words("preview").firstElementChild;
    const image = figure.querySelector("img");
    const close = figure.querySelector("button");
    image.src = url;
    image.alt = link.dataset.preview || link.textContent.trim();
    close.addEventListener("click", () => {
      figure.remove();
      URL.revokeObjectURL(url);
      link.focus();
    });
    link.after(figure);
    close.focus();
  }

  function save(url, link) {
    const anchor = document.createElement("a");
    anchor.href = url;
    anchor.download = link.dataset.preview || link.textContent.trim();
    anchor.click();
    setTimeout(() => URL.revokeObjectURL(url), TIMEOUT);
  }

  // The way in

  new ResizeObserver(measure).observe(document.body);

  if (parent === window) {
    say("alone");
  } else {
    document.getElementById("waiting").hidden = false;
    setTimeout(() => host || say("unwelcome"), TIMEOUT);
    const { title } = document.body.dataset;
    parent.postMessage({ vestibule: 1, type: "ready", title }, "*"); // the only one for anybody: the same for all
  }
})();
