// The TypeScript client's second major version, which negotiates.
//
// node next_client.mjs NODE_MODULES MCP_URL TOKEN. It prints the version it speaks, the names of the
// tools, and who it reads for.

import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [modules, address, token] = process.argv.slice(2);
const path = createRequire(`${modules}/`).resolve('@modelcontextprotocol/client');
const { Client, StreamableHTTPClientTransport } = await import(pathToFileURL(path));
const requestInit = { headers: { Authorization: `Bearer ${token}` } };
const client = new Client(
  { name: 'next-client', version: '1.0.0' },
  { versionNegotiation: { mode: 'auto' } },
);
await client.connect(new StreamableHTTPClientTransport(new URL(address), { requestInit }));
const { tools } = await client.listTools();
const user = await client.callTool({ name: 'svc_get_current_user', arguments: {} });
const fact = {
  version: client.getNegotiatedProtocolVersion(),
  tools: tools.map((tool) => tool.name),
  user: user.structuredContent,
};
await client.close();
process.stdout.write(JSON.stringify(fact));
