// Clients that are libraries: the AI SDK's, and the TypeScript client's second major version.
//
// node library_sign_in.mjs NODE_MODULES PACKAGE MCP_URL. It prints where the browser has to go, reads,
// as a line, where it ended up, and prints "Read for" and whom it then reads for.

import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const [modules, name, address] = process.argv.slice(2);
const library = await import(pathToFileURL(createRequire(`${modules}/`).resolve(name)));
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const kept = {};
const USER = 'svc_get_current_user';

const keeper = {
  redirectUrl: 'http://127.0.0.1:8899/callback',
  clientMetadata: {
    client_name: name,
    redirect_uris: ['http://127.0.0.1:8899/callback'],
    token_endpoint_auth_method: 'none',
  },
  state: () => (kept.state ??= randomUUID()),
  storedState: () => kept.state,
  saveState: (state) => { kept.state = state; },
  clientInformation: () => kept.client,
  saveClientInformation: (client) => { kept.client = client; },
  authorizationServerInformation: () => kept.server,
  saveAuthorizationServerInformation: (server) => { kept.server = server; },
  tokens: () => kept.tokens,
  saveTokens: (tokens) => { kept.tokens = tokens; },
  codeVerifier: () => kept.verifier,
  saveCodeVerifier: (verifier) => { kept.verifier = verifier; },
  redirectToAuthorization: (page) => console.log(page.href),
};

async function answer() {
  return new URL((await lines.next()).value).searchParams;
}

async function useAiSdk() {
  await library.auth(keeper, { serverUrl: address });
  const query = await answer();
  await library.auth(keeper, {
    serverUrl: address,
    authorizationCode: query.get('code'),
    callbackState: query.get('state'),
    issuer: query.get('iss'),
  });
  const transport = { type: 'http', url: address, authProvider: keeper };
  const client = await library.createMCPClient({ transport });
  const tools = await client.tools();
  return tools[USER].execute({}, {});
}

async function useNextClient() {
  const transport = () =>
    new library.StreamableHTTPClientTransport(new URL(address), { authProvider: keeper });
  const client = new library.Client(
    { name: 'next-client', version: '1.0.0' },
    { versionNegotiation: { mode: 'auto' } },
  );
  const refused = transport();
  try {
    await client.connect(refused);
  } catch (error) {
    if (!(error instanceof library.UnauthorizedError)) throw error;
  }
  await refused.finishAuth(await answer());
  await client.connect(transport());
  return client.callTool({ name: USER, arguments: {} });
}

const result = await (name === '@ai-sdk/mcp' ? useAiSdk() : useNextClient());
console.log(`Read for ${JSON.parse(result.content[0].text).email}`);
process.exit(0);
