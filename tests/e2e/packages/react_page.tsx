// A partner's page in React: the application comes, goes and comes again.
import { StrictMode, useState } from "react";
import { createRoot } from "react-dom/client";

import type { ApplicationEvent } from "@vestibule/connect";
import { Application } from "@vestibule/connect/react";

const root = document.getElementById("root")!;
const received: ApplicationEvent[] = [];
Object.assign(window, { received, tokens: 0 });

async function getToken(): Promise<string> {
  Object.assign(window, { tokens: (window as any).tokens + 1 });
  const answer = await fetch(`/token/${root.dataset.customer}`, { method: "POST" });
  return (await answer.json()).token;
}

function Page() {
  const [isShown, show] = useState(true);
  const [step, setStep] = useState("");
  return (
    <>
      <button id="toggle" onClick={() => show(!isShown)}>{step}</button>
      {isShown && (
        <Application
          bankUrl={root.dataset.bank!}
          customerId={root.dataset.customer!}
          getToken={getToken}
          language="es"
          frameTitle="Cuenta de Ledgerly"
          className="wide"
          onEvent={(event) => {
            received.push(event);
            if (event.type === "step_changed") setStep(event.step);
          }}
        />
      )}
    </>
  );
}

createRoot(root).render(<StrictMode><Page /></StrictMode>);
