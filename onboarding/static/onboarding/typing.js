// What is typed goes into the draft of the page at each pause and each change of a field, and the session is watched.
// Without this, the draft holds what was posted.
"use strict";

(() => {
  const WARNING = 300; // seconds before the end of the session
  const PAUSE = 700; // milliseconds without a key: a reload may be answered before what pagehide sends arrives
  const typed = new Set(); // names of fields that were typed into since the page was shown
  let isUnsent = false;
  let isAllKept = true; // the draft has everything that was changed since the page was shown
  let isTicked = false; // a checkbox was changed, which no draft has before the form is sent
  let pause = 0; // the timer of the pause
  let sending = Promise.resolve(); // the requests on their way, one after the other
  let waiting = 0; // their number
  let isBroken = false; // the last request did not arrive
  let isChecked = false; // the form that is sent waited for the request
  let timers = [];

  const form = () => document.getElementById("step");
  const place = () => document.getElementById("session");

  // The words are the same on all pages, so they are read once, while there is a connection.
  let [words, source, said] = [Promise.resolve(null), "", ""];

  function learn() {
    const url = `/connect/v1/words/${document.documentElement.lang}.html`;
    if (!place() || url === source) return;
    source = url;
    words = fetch(url).then((answer) => answer.ok ? answer.text() : "").catch(() => "");
    words = words.then((text) => text ? new DOMParser().parseFromString(text, "text/html") : null);
    words.then((known) => { if (!known) source = ""; }); // the next page tries again
  }

  async function say(name) {
    said = name;
    const known = name && (await words);
    if (said !== name) return; // something newer was said meanwhile
    const found = known && known.getElementById(name);
    // The focus must not vanish with the button.
    if (place()?.contains(document.activeElement)) document.getElementById("content").focus({ preventScroll: true });
    place()?.replaceChildren(...(found ? [document.importNode(found.content, true)] : []));
    // A frame is as high as its page, so nothing sticks to the edge of the window there.
    if (name === "ending" && parent !== window) place()?.scrollIntoView({ block: "nearest" });
  }

  // The session

  function watch(seconds) {
    const end = Date.now() + seconds * 1000;
    const look = () => say(Date.now() < end ? "ending" : "over"); // both are late after a sleep
    timers.forEach(clearTimeout);
    timers = [setTimeout(look, seconds * 1000)];
    if (seconds > WARNING) timers.push(setTimeout(look, (seconds - WARNING) * 1000));
  }

  // Send a request; answer whether it arrived. A session that has ended is answered by a redirect or 401.
  async function reach(url, options = {}) {
    const ask = window.applicantFetch ?? fetch;
    const answer = await ask(url, { redirect: "manual", ...options }).catch(() => null);
    isBroken = !answer || answer.status >= 500;
    isAllKept = options.method === "PATCH" ? answer?.status === 204 && !isUnsent && !isTicked : isAllKept;
    await released; // of flow.js: a message moves what is below it
    if (isBroken) say("offline");
    else if (answer.status === 204) extend(Number(answer.headers.get("Session-Seconds")));
    else if (answer.type === "opaqueredirect" || answer.status === 401) say("over");
    return !isBroken;
  }

  function extend(seconds) {
    say(seconds > WARNING ? "" : "last");
    watch(seconds);
  }

  const stay = () => reach(place().dataset.stay);

  document.addEventListener("click", ({ target }) => {
    if (target.closest("#session button")) stay();
  });

  // The draft

  document.addEventListener("input", ({ target }) => {
    if (target.form !== form() || !target.name) return;
    isAllKept = false;
    isTicked ||= target.type === "checkbox";
    if (["checkbox", "file"].includes(target.type)) return;
    typed.add(target.name);
    isUnsent = true;
    clearTimeout(pause);
    pause = setTimeout(() => isUnsent && keep(), PAUSE);
  });

  document.addEventListener("change", ({ target }) => {
    if (target.form === form() && isUnsent) keep();
  });

  function keep(options = {}) {
    clearTimeout(pause);
    waiting += 1;
    sending = sending.then(() => send(options)).finally(() => { waiting -= 1; });
  }

  // Answer whether the draft has what was typed.
  async function send(options) {
    if (!form() || !isUnsent) return !isBroken;
    isUnsent = false;
    const fields = new FormData(form());
    const body = new URLSearchParams([...fields].filter(([name]) => typed.has(name) || name === "seen_marks"));
    const headers = { "X-CSRFToken": fields.get("csrfmiddlewaretoken") ?? "" };
    if (!(await reach(form().action, { method: "PATCH", headers, body, ...options }))) isUnsent = true;
    return !isBroken;
  }

  // A draft on its way would arrive after the form, and a form without a connection would be lost.
  document.addEventListener("submit", async (event) => {
    const [sent, button] = [event.target, event.submitter];
    if (sent !== form()) return;
    clearTimeout(pause);
    if (isChecked || !(waiting || isBroken || !navigator.onLine)) {
      isUnsent = isChecked = false;
      return;
    }
    event.preventDefault();
    event.stopImmediatePropagation();
    if (!(await (waiting ? sending : stay()))) return;
    isChecked = true;
    sent.requestSubmit(button);
  }, true);

  // The server discards the fields of the draft that the posted page knew.
  document.addEventListener("formdata", ({ target, formData }) => {
    if (target !== form()) return;
    if (isAllKept) formData.set("all_kept", "1");
    if (typed.size) formData.set("drafted", [formData.get("drafted") ?? "", ...typed].join(" "));
  });

  addEventListener("pagehide", () => {
    if (isUnsent) send({ keepalive: true });
  });

  function begin() {
    [...timers, pause].forEach(clearTimeout);
    typed.clear();
    isUnsent = isBroken = isTicked = false;
    isAllKept = true;
    learn();
    if (place()) watch(Number(place().dataset.seconds));
  }

  document.addEventListener("DOMContentLoaded", begin);
  // At once: people type before the page has settled.
  document.addEventListener("htmx:afterSwap", ({ target }) => target.id === "flow" && begin());
})();
