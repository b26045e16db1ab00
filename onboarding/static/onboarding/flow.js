// The flow works without this; it puts the reader where a page wants attention.
"use strict";

function attend(root) {
  const summary = root.querySelector("#summary");
  if (summary) summary.focus();
  return Boolean(summary);
}

document.addEventListener("DOMContentLoaded", () => attend(document));

// A page that takes another's place announces itself by its heading, if the reader asked for it.
document.addEventListener("htmx:afterSettle", ({ target, detail }) => {
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
