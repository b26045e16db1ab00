// The flow works without this; it puts the reader where a page wants attention.
"use strict";

function attend(root) {
  const summary = root.querySelector("#summary");
  if (summary) summary.focus();
  return Boolean(summary);
}

// Times are in the zone of the address or in UTC without this: the browser knows the reader's zone.
function tellTimes(root) {
  const parts = { day: "numeric", month: "long", year: "numeric" };
  const more = { ...parts, hour: "numeric", minute: "2-digit", timeZoneName: "short" };
  for (const time of root.querySelectorAll("time[datetime]")) {
    const lang = document.documentElement.lang;
    time.textContent = new Date(time.dateTime).toLocaleString(lang, "day" in time.dataset ? parts : more);
  }
}

document.addEventListener("DOMContentLoaded", () => {
  attend(document);
  tellTimes(document);
  const zone = document.querySelector("[name=time_zone]"); // for the times in mails
  if (zone) zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone;
});

// A click that begins on a button must end on it: nothing moves or is replaced while a button of the mouse, a finger or
// the space bar is down, and until the click that follows. The end of a press may pass unseen.
const PRESS = 5000; // milliseconds at most
const CLICK = 50; // milliseconds from the end of a press until its click
let released = Promise.resolve();

function hold(...ends) {
  released = new Promise((resolve) => {
    for (const end of ends) addEventListener(end, () => setTimeout(resolve, CLICK), { capture: true, once: true });
    setTimeout(resolve, PRESS);
  });
}

addEventListener("pointerdown", ({ button }) => button || hold("pointerup", "pointercancel"), true);
addEventListener("keydown", ({ key }) => key === " " && hold("keyup"), true);

// An answer waits for the end of a press, and is dropped if the click asks for another page.
document.addEventListener("htmx:beforeSend", ({ detail: { xhr } }) => {
  const { onload, onabort } = xhr;
  xhr.onload = async () => {
    let isDropped = false;
    const drop = () => { isDropped = true; onabort(); };
    document.addEventListener("htmx:confirm", drop, { once: true });
    await released;
    document.removeEventListener("htmx:confirm", drop);
    if (!isDropped) onload();
  };
});

// A page that takes another's place announces itself by its heading, if the reader asked for it.
document.addEventListener("htmx:afterSettle", ({ target, detail }) => {
  tellTimes(target);
  if (target.id !== "flow" || detail.requestConfig.elt === document.body || attend(target)) return;
  const heading = target.querySelector("h1");
  if (!heading) return;
  heading.tabIndex = -1;
  heading.focus();
});

// What the bank or a phone changes shows itself. In a frame, frame.js asks, which holds the key.
const GLANCE = 5000; // milliseconds between two looks
let glances = 180;
let isTyped = false; // into the page that is shown

document.addEventListener("input", () => { isTyped = true; });

setInterval(async () => {
  const shown = document.getElementById("flow").dataset;
  if (document.hidden || isTyped || !shown.watched || document.body.matches(".frame") || --glances < 0) return;
  const answer = await fetch(location.pathname, { redirect: "error" }).catch(() => null);
  const found = answer?.ok && / data-watched="([\w-]+)"/.exec(await answer.text());
  if (!found || found[1] === shown.watched || isTyped) return;
  location.replace("#content"); // where a reader goes on after the reload
  location.reload();
}, GLANCE);

// What everybody owns together, added up while a share is typed.
function addUp(field) {
  const total = field.form?.querySelector(".total");
  if (!total) return;
  const typed = Number.parseFloat(field.value.replace(",", ".")) || 0;
  const [others, elsewhere] = [Number(total.dataset.others), Number(total.dataset.elsewhere)];
  const own = Math.max(typed, elsewhere, 0);
  const sum = Math.round((others + own) * 10000) / 10000;
  const shown = sum.toLocaleString(document.documentElement.lang, { maximumFractionDigits: 4 });
  total.querySelector("output").value = `${shown}%`;
  total.querySelector(".this").setAttribute("width", own);
  total.querySelector("[data-too-much]").hidden = sum <= 100;
}

document.addEventListener("input", ({ target }) => {
  if (target.name === "ownership_percent") addUp(target);
});

// Names of countries and states are suggested once a field for one is entered; they are the same on all pages.
document.addEventListener("focusin", async ({ target }) => {
  const [id, { lang }] = [target.getAttribute("list"), document.documentElement];
  if (!["countries", "states"].includes(id) || document.getElementById(id)?.lang === lang) return;
  document.getElementById(id)?.remove();
  const list = Object.assign(document.createElement("datalist"), { id, lang });
  document.body.append(list);
  const answer = await fetch(`/connect/v1/${id}/${lang}.json`).catch(() => null);
  const known = answer?.ok ? await answer.json() : [];
  list.append(...known.map((value) => Object.assign(document.createElement("option"), { value })));
});

// Only addresses in the US have a state of the list.
document.addEventListener("change", ({ target }) => {
  const address = target.getAttribute("list") === "countries" && target.closest(".address");
  if (address) address.classList.toggle("abroad", !/^\s*(us|usa|u\.s\.(a\.)?|united states.*|estados unidos.*)?\s*$/i.test(target.value));
});

// The Enter key in the search of an industry searches; without this it saves, and the page asks for a choice.
document.addEventListener("keydown", (event) => {
  const search = event.key === "Enter" && event.target.closest?.(".search");
  if (!search || event.target.type !== "text") return;
  event.preventDefault();
  search.querySelector(".find").click();
});

// Another mailing address has its fields once it is chosen; without this, by the button in their place.
document.addEventListener("change", ({ target }) => {
  if (target.name === "mailing" && target.value === "OTHER") document.querySelector("[name=then][value=mailing]")?.click();
});
