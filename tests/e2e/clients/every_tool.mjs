// The official TypeScript client: it finds its way in, lists the tools and calls every one.
//
// node every_tool.mjs NODE_MODULES MCP_URL. It prints {"visit": address} and reads, as a line, where the
// browser ended up; then it prints {"tools": {name: answer}}. Answers that do not match the
// schemas that the server told are errors of the client's own, and end it.

import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const [modules, address] = process.argv.slice(2);
const { resolve } = createRequire(`${modules}/`);
const sdk = (name) => import(pathToFileURL(resolve(`@modelcontextprotocol/sdk/${name}.js`)));
const { Client } = await sdk('client/index');
const { StreamableHTTPClientTransport } = await sdk('client/streamableHttp');
const { UnauthorizedError } = await sdk('client/auth');
const input = createInterface({ input: process.stdin });
const lines = input[Symbol.asyncIterator]();
const tell = (fact) => process.stdout.write(`${JSON.stringify(fact)}\n`);

class Keeper {
  // What the client keeps, and the door to the user's browser.
  redirectUrl = 'http://127.0.0.1:8899/callback';
  clientMetadata = {
    client_name: 'TypeScript',
    redirect_uris: [this.redirectUrl],
    token_endpoint_auth_method: 'none',
  };
  #kept = { state: randomUUID() };

  state = () => this.#kept.state;
  clientInformation = () => this.#kept.client;
  saveClientInformation = (client) => { this.#kept.client = client; };
  tokens = () => this.#kept.tokens;
  saveTokens = (tokens) => { this.#kept.tokens = tokens; };
  codeVerifier = () => this.#kept.verifier;
  saveCodeVerifier = (verifier) => { this.#kept.verifier = verifier; };
  redirectToAuthorization = (page) => tell({ visit: page.href });
}

async function connect() {
  const authProvider = new Keeper();
  const transport = () => new StreamableHTTPClientTransport(new URL(address), { authProvider });
  const client = new Client({ name: 'every-tool', version: '1.0.0' });
  const refused = transport();
  try {
    await client.connect(refused);
    throw new Error('the server let in a client without a token');
  } catch (error) {
    if (!(error instanceof UnauthorizedError)) throw error;
  }
  const answer = new URL((await lines.next()).value).searchParams;
  if (answer.get('state') !== authProvider.state()) throw new Error('not my state');
  await refused.finishAuth(answer.get('code'));
  await client.connect(transport());
  return client;
}

const RANGE = { startDate: '2000-01-01', endDate: '2099-12-31' };
const ARGUMENTS = {
  // By tool: what to ask for, from earlier answers; of several, what is answered first.
  select_customer: (known) => ({ customerExternalId: known.customer }),
  svc_download_bill_attachment: (known) => ({ documentId: known.document }),
  svc_download_bank_account_letter: () => ({ variant: 'WIRE_INTERNATIONAL' }),
  svc_download_expense_report: () => ({ periodType: 'QUARTERLY', detailedReport: true }),
  svc_download_statement: (known) => ({ statementId: known.statement }),
  svc_download_tax_statement: (known) => ({ statementId: known.taxStatement }),
  svc_estimate_taxes: () => ({ incomeUsd: 90000 }),
  svc_export_transactions_csv: (known) => ({ startDate: known.day, endDate: known.day }),
  svc_get_bill: (known) => known.bills.map((bill) => ({ billExternalId: bill })),
  svc_get_bill_payment_methods: (known) => ({ billExternalId: known.bills[0] }),
  svc_get_financial_summary: (known) => ({ chartType: 'PROFIT', startDate: known.day, granularity: 'YEAR' }),
  svc_get_invoice: (known) => ({ invoiceExternalId: known.invoice }),
  svc_get_referral_invite_url: (known) => ({ referralExternalId: known.referral }),
  svc_get_supplier: (known) => ({ supplierExternalId: known.supplier }),
  svc_get_transaction: (known) => ({ ...known.transaction, ...RANGE }),
  svc_get_transaction_locations: (known) => ({ locationKeys: known.places.join(',') }),
  svc_get_transaction_receipt: (known) => known.purchases.map((one) => ({ transactionId: one })),
  svc_list_bills: () => ({ sortDirection: 'DESC' }),
  svc_search_tax_bucket_transactions: () => ({ recordCnt: 100 }),
  svc_search_transactions: () => ({ recordCnt: 100, pending: false, transactionType: 'PURCHASE' }),
};
const LEARN = {
  // By tool: what its answer teaches.
  list_customers: (answer) => ({
    customer: answer.customers.find((one) => one.businessName === 'Golden Crumb Bakery LLC').externalId,
  }),
  svc_get_current_user: (answer) => ({ user: answer.externalId }),
  svc_list_bills: (answer) => ({ bills: answer.bills.map((one) => one.billExternalId) }),
  svc_get_bill: (answer) => ({ document: answer.attachments[0]?.documentId }),
  svc_list_invoices: (answer) => ({ invoice: answer.invoices[0].externalId }),
  svc_list_statements: (answer) => ({ statement: answer.statements[0].statementId }),
  svc_list_suppliers: (answer) => ({ supplier: answer.suppliers[0].supplierExternalId }),
  svc_list_tax_statements: (answer) => ({ taxStatement: answer.taxStatements[0].statementId }),
  svc_search_accountant_referrals: (answer) => ({ referral: answer.referrals[0].externalId }),
  svc_search_transactions: ({ transactions }) => {
    const { accountNo, transactionId, transactionType, timestamp } = transactions[0];
    const keys = transactions.map((one) => one.locationKey).filter(Boolean);
    return {
      transaction: { accountNo, transactionId, transactionType },
      day: timestamp.slice(0, 10),
      purchases: transactions.map((one) => one.transactionId),
      places: [...new Set(keys)].slice(0, 10),
    };
  },
};

const SUFFICES = {
  // By tool: whether an answer is what the others need.
  svc_get_bill: (answer) => answer.attachments.length > 0,
};

function questions(tool, known) {
  const { businessUserId, customerExternalId } = tool.inputSchema.properties;
  const whose = {
    ...(businessUserId && known.customer && { businessUserId: known.customer }),
    ...(customerExternalId && { customerExternalId: known.customer ?? known.user }),
  };
  return [ARGUMENTS[tool.name]?.(known) ?? {}].flat().map((named) => ({ ...whose, ...named }));
}

async function answerOf(client, tool, known) {
  let answer;
  for (const named of questions(tool, known)) {
    const result = await client.callTool({ name: tool.name, arguments: named });
    answer = result.structuredContent;
    if (!result.isError && (SUFFICES[tool.name]?.(answer) ?? true)) break;
  }
  return answer;
}

const client = await connect();
const { tools } = await client.listTools();
const teachers = Object.keys(LEARN).flatMap((name) => tools.filter((tool) => tool.name === name));
const known = {};
const answers = {};
for (const tool of new Set([...teachers, ...tools])) {
  const answer = await answerOf(client, tool, known);
  answers[tool.name] = answer;
  if (!answer.error) Object.assign(known, LEARN[tool.name]?.(answer));
}
await client.close();
tell({ tools: answers });
input.close();
