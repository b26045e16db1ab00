// The sign-in of gemini-cli, which its program begins at "/mcp auth" once a model is at hand.
//
// node gemini_sign_in.mjs BUNDLE MCP_URL. The bundle is the program's own, without its screen.

import { pathToFileURL } from 'node:url';

const [bundle, address] = process.argv.slice(2);
const { CoreEvent, MCPOAuthProvider, coreEvents } = await import(pathToFileURL(bundle));
coreEvents.on(CoreEvent.ConsentRequest, (request) => request.onConfirm(true));
coreEvents.on(CoreEvent.UserFeedback, (feedback) => console.log(feedback.message));
coreEvents.drainBacklogs();
const provider = new MCPOAuthProvider();
await provider.authenticate('bank', { enabled: true }, address);
const token = await provider.getValidToken('bank', {});
const call = { name: 'svc_get_current_user', arguments: {} };
const response = await fetch(address, {
  method: 'POST',
  headers: {
    Authorization: `Bearer ${token}`,
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
  },
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }),
});
console.log(`Read for ${(await response.json()).result.structuredContent.email}`);
process.exit(0);
