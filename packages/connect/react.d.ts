import type { HTMLAttributes, ReactElement } from "react";

import type { ApplicationOptions } from "./connect.js";

export type ApplicationProps = ApplicationOptions & Omit<HTMLAttributes<HTMLDivElement>, keyof ApplicationOptions | "children">;

/** An application in a `div`, which takes the other attributes. It opens anew when the bank, customer, language or title changes. */
export function Application(props: ApplicationProps): ReactElement;
