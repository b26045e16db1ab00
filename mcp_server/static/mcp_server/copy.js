// Buttons that copy the text beside them. The page works without this, by hand.
"use strict";

for (const button of document.querySelectorAll("[data-copy]")) {
  const source = document.getElementById(button.dataset.copy);
  const label = button.textContent;
  button.hidden = !navigator.clipboard;
  button.setAttribute("aria-live", "polite");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(source.textContent);
      button.textContent = button.dataset.done;
    } catch {
      getSelection().selectAllChildren(source);
      button.textContent = button.dataset.failed;
    }
    setTimeout(() => { button.textContent = label; }, 3000);
  });
}
