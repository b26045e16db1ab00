// A partner's page with the element, and no framework.
import "@vestibule/connect/element";

const root = document.getElementById("root")!;
const application = document.createElement("vestibule-application");
application.setAttribute("bank-url", root.dataset.bank!);
application.setAttribute("customer-id", root.dataset.customer!);
application.getToken = async () => {
  const answer = await fetch(`/token/${root.dataset.customer}`, { method: "POST" });
  return (await answer.json()).token;
};
application.addEventListener("vestibule:exit", (event) => event.preventDefault());
root.append(application);
