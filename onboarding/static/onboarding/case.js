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

// What a denied applicant reads if nothing is written for them
for (const text of document.querySelectorAll("[data-texts-of]")) {
  const boxes = [...text.form.elements[text.dataset.textsOf]];
  const tell = () => {
    const chosen = boxes.filter((box) => box.checked).map((box) => box.dataset.text);
    text.placeholder = chosen.join("\n");
  };
  for (const box of boxes) box.addEventListener("change", tell);
  tell();
}

// A document that was opened is brought into view
for (const form of document.querySelectorAll("form[target^=viewer]")) {
  form.addEventListener("submit", () => {
    document.querySelector(".viewer").scrollIntoView({ block: "nearest" });
  });
}

// The list beside the approval says which documents were opened since the page was loaded
document.addEventListener("submit", (event) => {
  const button = document.querySelector(`[data-opened-by="${event.target.id}"] button`);
  if (button) button.firstElementChild.textContent = "Opened";
});

// A link to a folded person unfolds it
addEventListener("hashchange", () => {
  const aimed = document.getElementById(location.hash.slice(1));
  if (aimed instanceof HTMLDetailsElement) aimed.open = true;
});
