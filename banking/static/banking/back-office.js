// Fields to copy from: a click selects, a button copies. The page works without this, by hand.
"use strict";

for (const field of document.querySelectorAll(".copyable :is(input, textarea)")) {
  field.addEventListener("focus", () => field.select());
}

for (const button of document.querySelectorAll("[data-copy]")) {
  const field = document.getElementById(button.dataset.copy);
  button.hidden = !navigator.clipboard;
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(field.value);
      button.textContent = "Copied";
    } catch {
      field.focus();
      button.textContent = "Press Ctrl+C";
    }
  });
}
