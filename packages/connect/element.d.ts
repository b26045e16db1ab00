/**
 * The element `<vestibule-application bank-url="…" customer-id="…" language="…" frame-title="…">`, defined by importing this module.
 * Its events are `vestibule:ready` and the others; `preventDefault()` at `vestibule:exit` keeps the frame.
 */
export class VestibuleApplication extends HTMLElement {
  /** Return a token of `POST …/lead/{customerId}/session`. Set it before the element is in the page. */
  getToken: () => string | Promise<string>;
}

declare global {
  interface HTMLElementTagNameMap {
    "vestibule-application": VestibuleApplication;
  }
}
