const SCRIPT = "connect/v1/connect-1.2.0.js";
const INTEGRITY = "sha384-QdzY3N6MuRKbpTn89dwignrkW6p73jv8DXKkFDonVwW4laondmzJ4AM8DSjHK63D";
const TYPES = [
  "ready", "resize", "step_changed", "submitted", "status_changed", "documents_required", "token_expired", "exit", "error",
];
const scripts = new Map();

/** Load the bank's script once for each bank; the browser checks that it is the one of this version. */
function load(bankUrl) {
  const src = new URL(SCRIPT, bankUrl.endsWith("/") ? bankUrl : `${bankUrl}/`).href;
  if (!scripts.has(src)) {
    scripts.set(src, new Promise((resolve, reject) => {
      const script = Object.assign(document.createElement("script"), { src, integrity: INTEGRITY, crossOrigin: "anonymous" });
      script.onload = () => resolve(window.Vestibule);
      script.onerror = () => {
        scripts.delete(src); // the next call tries again
        script.remove();
        reject(new Error(`The script ${src} could not be loaded.`));
      };
      document.head.append(script);
    }));
  }
  return scripts.get(src);
}

export function openApplication({ bankUrl, element, customerId, getToken, language, frameTitle, onEvent }) {
  let application;
  let isClosed = false;

  function fail(error) {
    console.error(error);
    if (!isClosed) onEvent?.({ type: "error", code: "unavailable" });
  }

  async function begin() {
    await undefined; // React's strict mode opens, closes and opens again at once: one token is enough
    if (isClosed) return;
    const [vestibule, token] = await Promise.all([load(bankUrl), getToken()]);
    if (!isClosed) application = vestibule.open({ token, element, externalId: customerId, language, frameTitle });
  }

  async function renew() {
    const token = await getToken();
    if (!isClosed) application?.renew(token);
  }

  function receive(event) {
    const type = event.type.slice("vestibule:".length);
    if (type === "token_expired") renew().catch(fail);
    if (onEvent?.({ type, ...event.detail }) === false) event.preventDefault();
  }

  function close() {
    isClosed = true;
    application?.close();
    for (const type of TYPES) element.removeEventListener(`vestibule:${type}`, receive);
  }

  for (const type of TYPES) element.addEventListener(`vestibule:${type}`, receive);
  begin().catch(fail);
  return { close };
}
