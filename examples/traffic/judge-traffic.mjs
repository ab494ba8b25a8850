// Judges what real callers sent and received, from an HTTP Archive (HAR 1.2) of a browser, a proxy or a gateway.
//
//   node judge-traffic.mjs shop.json traffic.har
//
// `shop.json` says what the deployment held when the traffic was recorded (docs/own-data.md). If the archive has exchanges
// with several deployments, name one with --base-url. `--tier /promotions/*/id` states where responses name promotions.
// Prints each exchange that violates the documentation, and counts the others. Sends nothing and shows no credentials.
// Exit status: 0 if some exchanges agree with the documentation and none violates it, otherwise 1.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { judge } from 'promotion-validation-conformance';

const operation = '/v1/promotions/validation';
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { 'base-url': { type: 'string' }, tier: { type: 'string' } },
});
const [data = 'shop.json', archive = 'traffic.har'] = positionals;
const { tier } = values;

/** @type {import('har-format').Har} */
const { log } = JSON.parse(readFileSync(archive, 'utf8'));
const addressed = log.entries.flatMap(({ request, response }, n) => {
  const url = URL.canParse(request.url) ? new URL(request.url) : undefined;
  if (!url?.pathname.endsWith(operation)) return [];
  const baseUrl = `${url.protocol}//${url.host}${url.pathname.slice(0, -operation.length)}`;
  return [{ name: `entry ${n + 1}`, baseUrl, path: operation + url.search, request, response }];
});
const baseUrls = [...new Set(addressed.map(({ baseUrl }) => baseUrl))];
const wanted = values['base-url']?.replace(/\/+$/, '') ?? baseUrls[0];
const known = addressed.filter(({ baseUrl }) => baseUrl === wanted);
if (known.length === 0 || (baseUrls.length > 1 && values['base-url'] === undefined)) {
  console.error(`Name one deployment with --base-url. ${archive} has: ${baseUrls.join(', ') || 'none'}.`);
  process.exit(1);
}

const exchanges = known.flatMap(({ name, path, request, response }) => {
  const { method, postData } = request;
  const { status, content } = response;
  const text = content.text ?? (status === 204 || content.size === 0 ? '' : undefined);
  if (status === 0 || text === undefined) return [];
  const body = content.encoding === 'base64' ? Buffer.from(text, 'base64').toString('utf8') : text;
  const sent = { method, path, headers: listHeaders(request), ...(postData?.text && { body: postData.text }) };
  return [{ name, request: sent, response: { status, headers: listHeaders(response), body } }];
});

/** @param {{ headers: import('har-format').Header[] }} message */
function listHeaders({ headers }) {
  return headers.map(({ name, value }) => /** @type {const} */ ([name, value]));
}

/** @type {Map<string, number>} */
const counts = new Map();
const judgements = judge(exchanges, { data, ...(tier && { response: { tier } }) });
for (const [n, { verdict, reason }] of judgements.entries()) {
  if (verdict === 'fail') console.log(`${exchanges[n]?.name}: ${reason}`);
  // The numbers of items differ.
  const counted =
    verdict === 'pass' || verdict === 'fail' ? verdict : `${verdict}: ${reason.replaceAll(/\/\d+/g, '/*')}`;
  counts.set(counted, (counts.get(counted) ?? 0) + 1);
}
if (exchanges.length < known.length) counts.set('no response, or no body of it', known.length - exchanges.length);
console.log(`${log.entries.length} exchanges, ${known.length} of them with the operation of ${wanted}:`);
for (const [counted, count] of counts) console.log(`${count} × ${counted}`);
process.exitCode = counts.has('pass') && !counts.has('fail') ? 0 : 1;
