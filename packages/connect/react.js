import { createElement, useEffect, useRef } from "react";

import { openApplication } from "./connect.js";

export function Application({ bankUrl, customerId, language, frameTitle, getToken, onEvent, ...attributes }) {
  const place = useRef(null);
  const callbacks = useRef({});
  useEffect(() => {
    callbacks.current = { getToken, onEvent }; // a new function of each render opens nothing anew
  });
  useEffect(() => {
    const application = openApplication({
      bankUrl,
      customerId,
      language,
      frameTitle,
      element: place.current,
      getToken: () => callbacks.current.getToken(),
      onEvent: (event) => callbacks.current.onEvent?.(event),
    });
    return () => application.close();
  }, [bankUrl, customerId, language, frameTitle]);
  return createElement("div", { ...attributes, ref: place });
}
