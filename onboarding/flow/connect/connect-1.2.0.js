/*! Vestibule Connect 1.2.0, MIT licence.
 *
 * Shows the application for an account in a page of yours:
 *
 *   <div id="application"></div>
 *   <script src="…/connect/v1/connect-1.2.0.js" integrity="sha384-…" crossorigin="anonymous"
 *     data-token="…" data-target-div="application" data-external-id="…"></script>
 *
 * What happens is told by events of the div, "vestibule:ready" and the others of DETAILS below;
 * docs/embedding.md explains them. No message and no event carries personal data.
 */
(() => {
  "use strict";

  const VERSION = "1.2.0";
  const DETAILS = { // the messages of the frame, and all that each may carry
    ready: [],
    resize: ["height"],
    step_changed: ["step"],
    submitted: ["status"],
    status_changed: ["status"],
    documents_required: [],
    token_expired: [],
    exit: [],
    error: ["code"],
  };
  const TITLE = "Application for a business account"; // until the frame says it in the language of its pages
  const SANDBOX = "allow-scripts allow-forms allow-same-origin allow-popups "
    + "allow-popups-to-escape-sandbox allow-downloads";
  const PATIENCE = 20000; // milliseconds until a frame must have started
  const AFTERWARDS = 1500; // the same after the browser has loaded a page into the frame, or its own page of an error
  const TALLEST = 20000; // pixels

  const script = document.currentScript;
  const root = new URL(".", script.src);
  const opened = {};

  function schemeOf(div) { // a page that never is dark gets no dark frame
    const { colorScheme } = getComputedStyle(div);
    if (!colorScheme.includes("dark")) return "light";
    return colorScheme.includes("light") ? "" : "dark";
  }

  function open({ token, element, targetDiv = element?.id, externalId, language = "", frameTitle = "" }) {
    const div = element ?? document.getElementById(targetDiv);
    if (!div) throw new Error(`Vestibule: no element has the id "${targetDiv}".`);
    if (targetDiv) opened[targetDiv]?.close();

    const frame = document.createElement("iframe");
    const address = new URL(`frame/${encodeURIComponent(externalId)}`, root);
    if (language) address.searchParams.set("language", language);
    const scheme = schemeOf(div);
    if (scheme) address.searchParams.set("scheme", scheme);
    frame.src = address.href;
    frame.title = frameTitle || TITLE; // screen readers say it
    frame.allow = "camera";
    frame.setAttribute("sandbox", SANDBOX);
    Object.assign(frame.style, { display: "block", width: "100%", height: "480px", border: "0" });
    const timers = [];
    let isReady = false;

    function tell(type, detail = {}) {
      const options = { bubbles: true, cancelable: true, detail };
      return div.dispatchEvent(new CustomEvent(`vestibule:${type}`, options));
    }

    function handOver() {
      if (!isReady) return;
      if (!token) return void tell("token_expired");
      frame.contentWindow.postMessage({ vestibule: 1, type: "token", token }, root.origin);
      token = ""; // it is good for one use
    }

    function receive({ source, origin, data }) {
      if (source !== frame.contentWindow || origin !== root.origin) return;
      if (data?.vestibule !== 1 || !Object.hasOwn(DETAILS, data.type)) return;
      const { type } = data;
      const isWelcome = tell(type, Object.fromEntries(DETAILS[type].map((key) => [key, data[key]])));
      if (type === "ready") {
        isReady = true;
        if (!frameTitle && data.title) frame.title = data.title;
        timers.forEach(clearTimeout);
        handOver();
      } else if (type === "resize" && data.height > 0) {
        frame.style.height = `${Math.min(data.height, TALLEST)}px`;
      } else if (type === "step_changed" && frame.getBoundingClientRect().top < 0) {
        frame.scrollIntoView();
      } else if (type === "exit" && isWelcome) {
        close();
      }
    }

    function renew(fresh) {
      token = fresh;
      handOver();
    }

    function fail() {
      timers.forEach(clearTimeout);
      console.error(`Vestibule: the application did not start. The bank must know the origin ${location.origin}.`);
      tell("error", { code: "not_ready", origin: location.origin });
    }

    function close() {
      timers.forEach(clearTimeout);
      removeEventListener("message", receive);
      frame.remove();
      if (opened[targetDiv] === application) delete opened[targetDiv];
    }

    const application = { renew, close };
    if (targetDiv) opened[targetDiv] = application;
    addEventListener("message", receive);
    timers.push(setTimeout(fail, PATIENCE));
    frame.addEventListener("load", () => { // a frame that started has said so before
      if (!isReady) timers.push(setTimeout(fail, AFTERWARDS));
    });
    div.replaceChildren(frame);
    return application;
  }

  window.Vestibule = Object.freeze({ version: VERSION, open, opened });

  const { token, targetDiv, externalId, language, frameTitle } = script.dataset;
  if (token) {
    script.removeAttribute("data-token");
    const start = () => open({ token, targetDiv, externalId, language, frameTitle });
    if (document.getElementById(targetDiv)) start();
    else addEventListener("DOMContentLoaded", start, { once: true });
  }
})();
