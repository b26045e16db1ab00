// Uploads work without this. With it, files are sent as soon as they are chosen, one choice after
// the other, and a bar shows how far they are. htmx sends them and shows the page that is answered.
"use strict";

(() => {
  if (!window.htmx) return;
  if (!document.querySelector("meta[name=htmx-config]")) {
    Object.assign(htmx.config, {
      allowEval: false, allowScriptTags: false, historyEnabled: false, includeIndicatorStyles: false,
      scrollIntoViewOnBoost: false,
    });
  }

  const queue = []; // choices of files; the first one is on its way, unless it broke off
  let isSending = false;
  let next = null; // form, name and value of the button that waits until all is sent
  let kept = null; // the other form of the page, and the answers that it signs, while the page is swapped

  const form = () => document.getElementById("uploads");
  const carrier = () => document.getElementById("carrier");
  const isOurs = ({ detail }) => detail.requestConfig?.elt.id === "carrier";

  document.documentElement.classList.add("sends"); // without a button

  const news = document.createElement("p");
  news.className = "sr";
  news.setAttribute("role", "status");
  document.body.append(news);

  // Choosing

  document.addEventListener("change", ({ target }) => {
    if (!target.matches("#uploads input[type=file]") || !target.files.length) return;
    const fault = excess([...target.files]);
    if (fault) {
      target.value = "";
      return complain(target.name, fault);
    }
    queue.push({ field: target.name, slot: target.closest(".slot").id, data: collect(target), text: names(target.files) });
    proceed();
  });

  function excess(files) {
    const { fileBytes, togetherBytes, files: most, tooLarge, tooMuch } = form().dataset;
    if (files.some(({ size }) => size > Number(fileBytes))) return tooLarge;
    const together = files.reduce((sum, { size }) => sum + size, 0);
    return files.length > Number(most) || together > Number(togetherBytes) ? tooMuch : "";
  }

  function collect(input) {
    const data = new FormData(form());
    for (const one of form().querySelectorAll("input[type=file]")) data.delete(one.name);
    for (const file of input.files) data.append(input.name, file);
    data.delete("end"); // it must be the last
    data.append("end", "1");
    return data;
  }

  function names(files) {
    return [...files].map(({ name }) => name).join(", ");
  }

  // Sending

  function proceed() {
    queue.slice(1).forEach(({ field, text }) => show(field, `${form().dataset.waiting}: ${text}`));
    if (isSending || !queue.length) return;
    const [{ field, data, text }] = queue;
    isSending = true;
    progress(field, text, 0);
    tell(`${form().dataset.sending}: ${text}`);
    const answer = { target: "#flow", select: "#flow", swap: "outerHTML" };
    htmx.ajax("POST", form().action, { source: carrier(), values: data, ...answer }).catch(() => {});
  }

  document.addEventListener("htmx:beforeSend", (event) => {
    if (!isOurs(event)) return;
    const [{ field, text }] = queue;
    event.detail.xhr.upload.addEventListener("progress", ({ loaded, total }) => progress(field, text, loaded / total));
  });

  document.addEventListener("htmx:beforeSwap", (event) => {
    if (!isOurs(event)) return;
    const { xhr, serverResponse } = event.detail;
    if (xhr.status >= 400 || !serverResponse.includes('id="flow"')) event.detail.shouldSwap = false;
    if (document.querySelector(".htmx-request:not(#carrier)")) { // a link was clicked, whose page comes
      event.detail.shouldSwap = false;
      forget();
    }
    if (!event.detail.shouldSwap) return;
    const other = document.getElementById("step");
    kept = other && { other, answers: answers() };
    other?.remove(); // else htmx takes its listeners away
  });

  document.addEventListener("htmx:afterSwap", (event) => {
    if (!isOurs(event) || !kept) return;
    const shown = document.getElementById("step");
    const { other } = kept;
    // Ticked boxes stay only where the page shows the same answers as before; the draft has the typed name.
    if (shown?.action === other.action && answers() === kept.answers) {
      for (const one of shown.querySelectorAll("input[type=hidden]")) other.elements[one.name].value = one.value;
      shown.replaceWith(other);
    }
    kept = null;
  });

  function answers() {
    return document.getElementById("answers")?.textContent ?? "";
  }

  document.addEventListener("htmx:afterRequest", (event) => {
    if (!isOurs(event)) return;
    const { status, response } = event.detail.xhr;
    if (status >= 200 && status < 300 && response.includes('id="flow"')) return; // it settles
    isSending = false;
    const { broken, failed, tooMuch } = form().dataset;
    offer(queue[0].field, status === 0 ? broken : status === 413 ? tooMuch : failed);
  });

  document.addEventListener("htmx:afterSettle", (event) => {
    if (!isOurs(event) || event.target.id !== "flow") return; // in a frame, more is swapped
    isSending = false;
    const done = queue.shift();
    if (!form()) return queue.splice(0);
    const isDoubted = Boolean(document.querySelector("#summary[data-remarks]"));
    if (isDoubted) next = null;
    else tell(`${form().dataset.sent}: ${done.text}`);
    if (queue.length) return proceed();
    if (next) return press();
    if (!isDoubted) attendTo(done.slot);
  });

  // In a frame, another page may take the place of the one that sends.
  document.addEventListener("htmx:afterSwap", (event) => {
    if (!isOurs(event) && event.target.id === "flow") forget();
  });

  function forget() {
    queue.splice(0);
    isSending = false;
    next = null;
  }

  function press() {
    const waiting = document.getElementById(next.form);
    const buttons = [...waiting?.elements ?? []].filter(({ type }) => type === "submit");
    buttons.find(({ name, value }) => name === next.name && value === next.value)?.click();
  }

  function attendTo(slot) {
    const place = document.getElementById(slot);
    place?.querySelector(".more summary, .side input, [data-upload^=files] input")?.focus({ preventScroll: true });
    place?.scrollIntoView({ block: "nearest" });
  }

  // Nobody goes on while something is on its way; whoever wants to does so as soon as it is there.

  document.addEventListener("submit", (event) => {
    if (!["uploads", "step"].includes(event.target.id) || !isSending) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    const { name, value } = event.submitter ?? {};
    next = event.submitter ? { form: event.target.id, name, value } : null;
    tell(`${form().dataset.waiting}: ${queue[0].text}`);
  }, true);

  // Showing

  function place(field) {
    const around = document.querySelector(`[data-upload="${CSS.escape(field)}"]`);
    around.closest("details")?.setAttribute("open", "");
    const found = around.querySelector(".upload");
    if (found) return found;
    const made = document.createElement("div");
    made.className = "upload";
    around.append(made);
    return made;
  }

  function show(field, text, ...more) {
    const line = document.createElement("p");
    line.textContent = text;
    place(field).replaceChildren(line, ...more);
  }

  function progress(field, text, share) {
    const { sending, checking } = form().dataset;
    const bar = place(field).querySelector("progress") ?? document.createElement("progress");
    const said = share < 1 ? `${sending}: ${text} (${Math.floor(share * 100)}%)` : `${checking}: ${text}`;
    bar.setAttribute("aria-label", said);
    bar.value = share;
    show(field, said, bar);
  }

  function offer(field, text) {
    const again = document.createElement("button");
    again.type = "button";
    again.className = "button button-quiet";
    again.textContent = form().dataset.again;
    again.addEventListener("click", proceed);
    complain(field, text, again);
    next = null;
  }

  function complain(field, text, ...more) {
    show(field, text, ...more);
    place(field).firstElementChild.className = "wrong";
    tell(text);
  }

  function tell(text) {
    news.textContent = text;
  }
})();
