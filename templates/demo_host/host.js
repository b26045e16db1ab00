// The partner's side: listens to the flow, and hands in fresh tokens.
"use strict";

const TYPES = ["ready", "resize", "step_changed", "submitted", "status_changed", "documents_required",
  "token_expired", "exit", "error"];
const application = document.getElementById("application");
const messages = document.getElementById("messages");
const customer = document.querySelector("aside code").textContent;

async function renew() {
  const answer = await fetch(`/token/${customer}`, { method: "POST" });
  Vestibule.opened.application.renew((await answer.json()).token);
}

for (const type of TYPES) {
  application.addEventListener(`vestibule:${type}`, ({ detail }) => {
    const line = document.createElement("li");
    line.textContent = `${type} ${Object.values(detail).join(" ")}`;
    messages.prepend(line);
    if (type === "token_expired" && document.getElementById("renew").checked) renew();
  });
}
document.getElementById("fresh").addEventListener("click", renew);
document.getElementById("new").addEventListener("click", () => location.reload());
