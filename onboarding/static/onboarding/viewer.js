// The viewer, made smoother: links and forms do the same without this.
"use strict";

const MOST = 8; // times the size that fits
const STEP = 1.25;
const stage = document.querySelector(".stage");
const sheet = document.querySelector(".sheet");
const shown = document.querySelector(".zoom-now");
let zoom = stage ? Number(getComputedStyle(stage).getPropertyValue("--zoom")) : 1;

// Zoom around a point of the stage, which stays where it is
function zoomTo(wanted, x = stage.clientWidth / 2, y = stage.clientHeight / 2) {
  const next = Math.min(MOST, Math.max(1, wanted));
  const left = ((stage.scrollLeft + x) * next) / zoom - x;
  const top = ((stage.scrollTop + y) * next) / zoom - y;
  zoom = next;
  stage.style.setProperty("--zoom", zoom);
  stage.scrollTo(left, top);
  stage.classList.toggle("can-pan", zoom > 1);
  shown.textContent = `${Math.round(zoom * 100) / 100}×`;
}

let saved = Promise.resolve(); // a turn is sent when the one before is stored: the last one stays

function rotate(button) {
  const degrees = button.value;
  sheet.className = `sheet turn-${degrees}`;
  const body = new FormData(button.form, button);
  body.set("by_script", "1");
  button.value = (Number(degrees) + 90) % 360;
  const send = () => fetch(button.form.action, { method: "POST", body, keepalive: true });
  saved = saved.then(send, send);
}

if (stage) {
  stage.classList.toggle("can-pan", zoom > 1);
  stage.addEventListener("wheel", (event) => {
    event.preventDefault();
    const place = stage.getBoundingClientRect();
    const times = event.deltaY < 0 ? STEP : 1 / STEP;
    zoomTo(zoom * times, event.clientX - place.left, event.clientY - place.top);
  }, { passive: false });
  stage.addEventListener("pointerdown", (event) => {
    if (zoom === 1 || event.button) return;
    event.preventDefault();
    stage.focus({ preventScroll: true });
    stage.setPointerCapture(event.pointerId);
    stage.classList.add("is-panned");
  });
  stage.addEventListener("pointermove", (event) => {
    if (stage.classList.contains("is-panned")) stage.scrollBy(-event.movementX, -event.movementY);
  });
  for (const end of ["pointerup", "pointercancel"]) {
    stage.addEventListener(end, () => stage.classList.remove("is-panned"));
  }
}

document.addEventListener("click", (event) => {
  const used = event.target.closest("[data-zoom], [data-by], [data-turn]");
  if (!used) return;
  event.preventDefault();
  if (used.dataset.turn !== undefined) rotate(used);
  else zoomTo(used.dataset.by ? zoom * STEP ** Number(used.dataset.by) : 1);
});

// Keys, which each person can turn off

const keys = document.querySelector(".keys");
const choice = document.querySelector("[data-keys]");
keys.hidden = false;
choice.checked = localStorage.getItem("viewer-keys") !== "off";
choice.addEventListener("change", () => {
  localStorage.setItem("viewer-keys", choice.checked ? "on" : "off");
});

const ZOOMS = { "+": STEP, "=": STEP, "-": 1 / STEP, 0: 0 };
const SAME = { arrowright: "n", arrowleft: "p" };

function press(key) {
  const used = document.querySelector(`[data-key="${CSS.escape(key)}"]`);
  used?.click();
  used?.parentElement.querySelector(":scope > form select")?.focus(); // of a folded form
  return Boolean(used);
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") keys.open = false;
  const isTyping = event.target.closest("input:not([type=checkbox]), select, textarea");
  if (!choice.checked || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  const key = event.key.toLowerCase();
  if (key.startsWith("arrow") && zoom > 1) return; // they move the picture
  let isUsed = true;
  if (stage && key in ZOOMS) zoomTo(zoom * ZOOMS[key]);
  else if (stage && key === "r") document.querySelector("[data-turn]")?.click();
  else isUsed = press(SAME[key] ?? key);
  if (isUsed) event.preventDefault();
});

(document.querySelector(".answer") ?? stage)?.focus({ preventScroll: true });
