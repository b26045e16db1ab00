/** The steps of the application, and the page of its status. */
export type Step = "you" | "business" | "owners" | "documents" | "review" | "status";

/** What the frame reports; nothing of it is personal. Statuses: `GET …/service/api/v1/meta/lifecycle`. */
export type ApplicationEvent =
  | { type: "ready" }
  | { type: "resize"; height: number }
  | { type: "step_changed"; step: Step }
  | { type: "submitted"; status: string }
  | { type: "status_changed"; status: string }
  | { type: "documents_required" }
  | { type: "token_expired" }
  | { type: "exit" }
  | { type: "error"; code: "not_ready" | "unavailable" | "closed"; origin?: string };

export interface ApplicationOptions {
  /** The address of the bank, for example `https://bank.example.com`. */
  bankUrl: string;
  /** The `customerId` of the lead. */
  customerId: string;
  /** Return a token of `POST …/lead/{customerId}/session`; called at the start, and when a session has ended. */
  getToken: () => string | Promise<string>;
  /** The language of the pages, such as `es`; without it, or if the bank does not know it, the browser's. */
  language?: string;
  /** The title of the frame, which screen readers say; without it, one in the language of the pages. */
  frameTitle?: string;
  /** Called with each event. Return `false` at `exit` to keep the frame. */
  onEvent?: (event: ApplicationEvent) => boolean | void;
}

export interface OpenedApplication {
  /** Take the frame away, and call nothing any more. */
  close(): void;
}

/** Show an application in an element of the page. Errors, of `getToken` too, are events of type `error`. */
export function openApplication(options: ApplicationOptions & { element: HTMLElement }): OpenedApplication;
