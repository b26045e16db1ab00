// The flow works without this; it puts the reader where a page wants attention.
"use strict";

function attend(root) {
  const summary = root.querySelector("#summary");
  if (summary) summary.focus();
  return Boolean(summary);
}

// Times are in UTC without this: only the browser knows the reader's time zone.
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
