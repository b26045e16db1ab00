// A client's side of MCP Apps: it shows a page in a sandboxed frame and hands it a tool's answers.
import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";

const POLICY =
  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'none'";

window.calls = [];
window.showApp = async (html, toolArguments, answers, context) => {
  const frame = document.createElement("iframe");
  frame.sandbox = "allow-scripts";
  frame.style.cssText = "width: 100%; border: 0";
  document.body.replaceChildren(frame);
  const bridge = new AppBridge(
    null,
    { name: "host", version: "1.0.0" },
    { serverTools: {} },
    { hostContext: context },
  );
  bridge.oncalltool = async (params) => {
    window.calls.push(params);
    return answers[params.arguments.chartType];
  };
  bridge.onsizechange = ({ height }) => {
    frame.style.height = `${height}px`;
  };
  const isReady = new Promise((resolve) => {
    bridge.oninitialized = resolve;
  });
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  const policy = `<meta http-equiv="Content-Security-Policy" content="${POLICY}">`;
  frame.srcdoc = html.replace('<meta charset="utf-8">', `<meta charset="utf-8">${policy}`);
  await isReady;
  await bridge.sendToolInput({ arguments: toolArguments });
  await bridge.sendToolResult(answers[toolArguments.chartType]);
};
