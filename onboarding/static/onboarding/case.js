// A case, made smoother: it works without this, by whole pages.
"use strict";

const SHOWN_FOR = 15_000; // as long as the server's Refresh says

// A number is shown in its place and hidden again; nothing that was typed elsewhere is lost.
function hideLater(number, masked) {
  setTimeout(() => {
    number.replaceWith(masked);
    masked.querySelector("summary")?.focus();
  }, SHOWN_FOR);
}

async function reveal(event) {
  const form = event.target.closest("form[data-reveal]");
  if (!form) return;
  event.preventDefault();
  const masked = document.getElementById(form.dataset.reveal);
  const answer = await fetch(form.action, { method: "POST", body: new FormData(form) });
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const number = page.getElementById(form.dataset.reveal);
  if (!number) return form.submit(); // signed out, for example: the whole page says so
  if (number.querySelector("[data-hides]")) {
    form.reset();
    form.closest("details").open = false;
    hideLater(number, masked);
  }
  masked.replaceWith(number);
}
document.addEventListener("submit", reveal);

// A colleague's mention is put where the cursor is in the note
document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-insert]");
  if (!button) return;
  const { text } = button.form.elements;
  const before = text.value.slice(0, text.selectionStart);
  const space = before && !/\s$/.test(before) ? " " : "";
  text.setRangeText(`${space}${button.dataset.insert} `, text.selectionStart, text.selectionEnd, "end");
  text.focus();
});

// What a denied applicant reads if nothing is written for them
function showTexts(form) {
  const text = form?.querySelector("[data-texts-of]");
  if (!text) return;
  const boxes = [...form.elements[text.dataset.textsOf]].filter((box) => box.checked);
  text.placeholder = boxes.map((box) => box.dataset.text).join("\n");
}
document.addEventListener("change", (event) => showTexts(event.target.form));
for (const text of document.querySelectorAll("[data-texts-of]")) showTexts(text.form);

// A template fills in the message, to be edited, unless something else was typed
document.addEventListener("change", ({ target }) => {
  const text = target.form?.querySelector(`[data-filled-by="${CSS.escape(target.name)}"]`);
  if (!text) return;
  const textOf = (box) => box.dataset.text.replaceAll("\r\n", "\n");
  const texts = [...target.form.elements[target.name]].map(textOf);
  if (!text.value || texts.includes(text.value)) text.value = textOf(target);
});

// A document that was opened is brought into view, also from the list beside the approval, which
// says what was opened since the page was loaded
document.addEventListener("submit", (event) => {
  if (event.target.target !== "viewer") return;
  document.querySelector(".viewer").scrollIntoView({ block: "nearest" });
  const button = document.querySelector(`[data-opened-by="${event.target.id}"] button`);
  if (button) button.firstElementChild.textContent = "Opened";
});

// Steps answer in place: the parts of the page that the answer has are put in place of the old
// ones. The document beside them stays open, and what was typed into other forms stays typed.

function typedValues(except) {
  const typed = [];
  for (const form of document.querySelectorAll("[data-part] form")) {
    if (form === except) continue;
    for (const field of form.elements) {
      if (!field.name || field.type === "hidden" || !isChanged(field)) continue;
      typed.push([form.getAttribute("action"), field.name, field.value, field.checked]);
    }
  }
  return typed;
}

function isChanged(field) {
  if (field.type === "checkbox" || field.type === "radio") return field.checked !== field.defaultChecked;
  if (field instanceof HTMLSelectElement) {
    return [...field.options].some((one) => one.selected !== one.defaultSelected && one.index);
  }
  return "defaultValue" in field && field.value !== field.defaultValue;
}

function typeAgain(typed) {
  for (const [action, name, value, isChecked] of typed) {
    const forms = [...document.forms].filter((form) => form.getAttribute("action") === action);
    for (const field of forms.flatMap((form) => [...form.elements])) {
      if (field.name !== name) continue;
      if (field.type === "checkbox" || field.type === "radio") {
        if (field.value === value) field.checked = isChecked;
      } else field.value = value;
    }
  }
}

// What was unfolded stays unfolded, but for the form that was sent
function unfoldAgain(old, fresh, except) {
  for (const open of old.querySelectorAll("details[open]")) {
    if (except && open.contains(except)) continue;
    const name = open.querySelector("summary").textContent;
    const same = [...fresh.querySelectorAll("details")];
    const found = same.find((one) => one.querySelector("summary").textContent === name);
    if (found) found.open = true;
  }
}

function putInPlace(page, except) {
  const typed = typedValues(except);
  const { form, name } = document.activeElement;
  const action = form?.getAttribute("action");
  for (const old of document.querySelectorAll("[data-part]")) {
    const fresh = page.getElementById(old.id);
    if (!fresh) continue;
    unfoldAgain(old, fresh, except);
    old.replaceWith(fresh);
  }
  typeAgain(typed);
  const same = [...document.forms].find((one) => action && one.getAttribute("action") === action);
  if (name) same?.querySelector(`[name="${CSS.escape(name)}"]`)?.focus();
}

// Without a network, and after a fault of the server, everything that was typed stays
function sayUnconfirmed(form) {
  form.querySelector(":scope > .answer")?.remove();
  const said = document.createElement("p");
  said.className = "answer answer-error";
  said.role = "alert";
  said.textContent = "The server did not confirm this. Look at the history of the case in another window, then try again.";
  form.prepend(said);
  said.scrollIntoView({ block: "nearest" });
}

// Replacing a part of the page while one of its buttons is pressed would lose the click
async function untilReleased() {
  while (document.querySelector(":active")) await new Promise(requestAnimationFrame);
}

let steps = 0; // since the page was loaded

async function takeStep(event) {
  const form = event.target.closest("form[data-step]");
  if (!form || form.closest(".viewer-page")) return;
  event.preventDefault();
  steps += 1;
  const body = new FormData(form, event.submitter);
  const buttons = form.querySelectorAll("button:enabled");
  for (const button of buttons) button.disabled = true;
  const address = event.submitter?.getAttribute("formaction") ?? form.action;
  const answer = await fetch(address, { method: "POST", body }).catch(() => null);
  for (const button of buttons) button.disabled = false; // to be used again
  if (!answer || answer.status >= 500) return sayUnconfirmed(form);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  if (!page.getElementById("headline")) return location.assign(location.href); // signed out
  await untilReleased();
  putInPlace(page, form);
  const said = document.querySelector(".answer");
  said?.focus({ preventScroll: true });
  requestAnimationFrame(() => said?.scrollIntoView({ block: "nearest" }));
}
document.addEventListener("submit", takeStep);

// What was judged in the viewer is said in the case, too, unless a step answers meanwhile
const frame = document.querySelector("iframe[name=viewer]");
frame?.addEventListener("load", async () => {
  if (!frame.contentDocument?.querySelector("[data-judged]")) return;
  const before = steps;
  const answer = await fetch(location.pathname);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  await untilReleased();
  if (steps === before) putInPlace(page);
});

// A link to a folded person unfolds it
addEventListener("hashchange", () => {
  const aimed = document.getElementById(location.hash.slice(1));
  if (aimed instanceof HTMLDetailsElement) aimed.open = true;
});

// "Choose all" ticks every box of a name in the form, or unticks them if all are ticked
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-choose-all]");
  if (!button) return;
  const boxes = [...button.form.elements].filter((one) => one.name === button.dataset.chooseAll);
  const isChosen = !boxes.every((box) => box.checked);
  for (const box of boxes) box.checked = isChosen;
});
