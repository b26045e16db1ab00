import { openApplication } from "./connect.js";

export class VestibuleApplication extends HTMLElement {
  #application;

  connectedCallback() {
    queueMicrotask(() => { // after whoever made the element has set getToken
      if (this.isConnected && !this.#application) this.#open();
    });
  }

  disconnectedCallback() {
    this.#application?.close();
    this.#application = undefined;
  }

  #open() {
    if (typeof this.getToken !== "function") throw new TypeError("Set getToken of the element vestibule-application.");
    this.#application = openApplication({
      bankUrl: this.getAttribute("bank-url"),
      element: this,
      customerId: this.getAttribute("customer-id"),
      getToken: () => this.getToken(),
      language: this.getAttribute("language") ?? undefined,
      frameTitle: this.getAttribute("frame-title") ?? undefined,
    });
  }
}

customElements.define("vestibule-application", VestibuleApplication);
