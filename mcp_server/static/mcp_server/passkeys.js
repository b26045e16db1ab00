// Buttons that ask the browser for a passkey (WebAuthn) and put its answer into a hidden field.
"use strict";

const toBytes = (text) =>
  Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (char) => char.charCodeAt(0));
const toText = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");
const withBytes = (credentials = []) =>
  credentials.map((credential) => ({ ...credential, id: toBytes(credential.id) }));

async function ask(action, { publicKey: sent }) {
  const publicKey = { ...sent, challenge: toBytes(sent.challenge) };
  if (action === "create") {
    publicKey.user = { ...sent.user, id: toBytes(sent.user.id) };
    publicKey.excludeCredentials = withBytes(sent.excludeCredentials);
  } else {
    publicKey.allowCredentials = withBytes(sent.allowCredentials);
  }
  const credential = await navigator.credentials[action]({ publicKey });
  const names = action === "create"
    ? ["clientDataJSON", "attestationObject"]
    : ["clientDataJSON", "authenticatorData", "signature"];
  const response = Object.fromEntries(names.map((name) => [name, toText(credential.response[name])]));
  const rawId = toText(credential.rawId);
  return JSON.stringify({ id: rawId, rawId, type: credential.type, response });
}

for (const button of document.querySelectorAll("[data-passkey]")) {
  const { form, parentElement: box } = button;
  const show = (name, isShown) => { box.querySelector(`[data-${name}]`).hidden = !isShown; };
  const isSupported = Boolean(window.PublicKeyCredential);
  button.hidden = !isSupported;
  show("unsupported", !isSupported);
  button.addEventListener("click", async () => {
    if (!form.reportValidity()) return;
    show("fault", false);
    const { passkey: action, field, options } = button.dataset;
    try {
      form.elements[field].value = await ask(action, JSON.parse(options));
    } catch {
      show("fault", true);
      return;
    }
    if ("submits" in button.dataset) form.submit();
    else show("done", true);
  });
}
