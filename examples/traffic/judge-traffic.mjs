// Judges pairs of a request and a response: what real callers sent and received, or what a mock is told to answer.
//
//   node judge-traffic.mjs shop.json traffic.har
//   node judge-traffic.mjs --from wiremock shop.json mappings/
//
// `shop.json` says what the deployment holds, for traffic at the time when it was recorded (docs/own-data.md). Then come files,
// or folders of JSON files. Prints each pair that violates the documentation, and counts the others. Sends nothing and shows
// no credentials. Exit status: 0 if some pairs agree with the documentation and none violates it, 1 if one violates it or none
// agrees, 2 if the command or a file cannot be used.
//
//   --from FORMAT       har (HTTP Archive 1.2, the default), wiremock, mockoon, mockserver, json-server or nock
//   --base-url URL      the deployment, if the files have pairs of several ones
//   --tier PATH         where responses name promotions, such as /promotions/*/id
//   --transport MODULE  the callers spell requests otherwise: its `restoreRequest` turns them back (docs/transports.md)
//   --ignore NAME       a member or parameter that the documentation does not have, if no promotion depends on it; repeatable
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { judge } from 'promotion-validation-conformance';

/** @typedef {import('../mocks/pairs.mjs').Pair} Pair */
/** @typedef {import('promotion-validation-conformance').TransportRequest} Request */

const operation = '/v1/promotions/validation';
const formats = ['har', 'wiremock', 'mockoon', 'mockserver', 'json-server', 'nock'];
const { positionals, values } = readArguments({
  allowPositionals: true,
  options: {
    from: { type: 'string', default: 'har' },
    'base-url': { type: 'string' },
    tier: { type: 'string' },
    transport: { type: 'string' },
    ignore: { type: 'string', multiple: true, default: [] },
  },
});
const { from, tier, ignore } = values;
const [data = 'shop.json', ...named] = positionals;
if (!formats.includes(from)) exit(`Unknown format '${from}'. The formats are: ${formats.join(', ')}.`);
const isMock = from !== 'har';
const { readPairs } = await import(isMock ? `../mocks/${from}/read-pairs.mjs` : './read-har.mjs');
const transport = values.transport && (await import(pathToFileURL(values.transport).href));
if (transport && !transport.restoreRequest) exit(`${values.transport} does not export restoreRequest.`);

/** @type {Pair[]} */
const pairs = (named.length > 0 ? named : ['traffic.har']).flatMap(listFiles).flatMap(readFile);
const addressed = pairs.flatMap((pair) => {
  const address = pair.request && findAddress(pair.request);
  return address ? [{ ...pair, ...address }] : [];
});
const baseUrls = [...new Set(addressed.filter(isOfOperation).map(({ baseUrl }) => baseUrl))];
const wanted = values['base-url']?.replace(/\/+$/, '') ?? baseUrls[0];
const known = addressed.filter(({ baseUrl }) => baseUrl === wanted);
if (known.length === 0 || (baseUrls.length > 1 && values['base-url'] === undefined))
  exit(`Name one deployment with --base-url. ${named.join(', ')} has: ${baseUrls.join(', ') || 'none'}.`);
const exchanges = known.flatMap(({ name, sent, response }) => (response ? [{ name, request: sent, response }] : []));

/** @type {Map<string, number>} */
const counts = new Map();
const judgements = judge(exchanges, { data, restoreRequest, ...(tier && { response: { tier } }) });
for (const [n, { verdict, reason }] of judgements.entries()) {
  if (verdict === 'fail') console.log(`${exchanges[n]?.name}: ${reason}`);
  // The numbers of items differ.
  const counted =
    verdict === 'pass' || verdict === 'fail' ? verdict : `${verdict}: ${reason.replaceAll(/\/\d+/g, '/*')}`;
  counts.set(counted, (counts.get(counted) ?? 0) + 1);
}
if (exchanges.length < known.length) counts.set('no response, or no body of it', known.length - exchanges.length);
const where = wanted === '' ? '' : ` of ${wanted}`;
console.log(`${pairs.length} exchanges, ${known.length} of them with the operation${where}:`);
for (const [counted, count] of counts) console.log(`${count} × ${counted}`);
if (transport)
  console.log(`Through a transport, ${values.transport}: requests of the documented form were not judged.`);
for (const { name, unread } of pairs) if (unread) console.log(`Not judged: ${name}, since ${unread}.`);
const partial = known.filter(({ isPartial }) => isPartial).map(({ name }) => name);
if (partial.length > 0) console.log(`They answer other requests, too. Judged for one of them: ${partial.join('; ')}.`);
process.exitCode = counts.has('pass') && !counts.has('fail') ? 0 : 1;

/** @param {string} message @returns {never} */
function exit(message) {
  console.error(message);
  process.exit(2);
}

/** @template {import('node:util').ParseArgsConfig} Config @param {Config} config */
function readArguments(config) {
  try {
    return parseArgs(config);
  } catch (error) {
    return exit(`${/** @type {Error} */ (error).message} The comment at the top of this file lists the options.`);
  }
}

/** @param {string} file @returns {Pair[]} */
function readFile(file) {
  try {
    return readPairs(JSON.parse(readFileSync(file, 'utf8')), file);
  } catch (error) {
    return exit(`${file}: cannot be read as ${from}: ${/** @type {Error} */ (error).message}`);
  }
}

/** @param {string} fileOrFolder @returns {string[]} */
function listFiles(fileOrFolder) {
  if (!existsSync(fileOrFolder)) exit(`${fileOrFolder}: there is no such file.`);
  if (!statSync(fileOrFolder).isDirectory()) return [fileOrFolder];
  const names = readdirSync(fileOrFolder).sort();
  return names.flatMap((name) => {
    const file = path.join(fileOrFolder, name);
    return statSync(file).isDirectory() || name.endsWith('.json') ? listFiles(file) : [];
  });
}

/**
 * Splits the address of a request into that of the deployment and a path. Through a transport, the path may be any: the
 * deployment is what --base-url says, or the origin.
 *
 * @param {NonNullable<Pair['request']>} request
 */
function findAddress({ url, ...request }) {
  const [, origin = '', pathname = '', query = ''] = /^([a-z]+:\/\/[^/?#]+)?([^?#]*)(\?[^#]*)?/i.exec(url) ?? [];
  const stated = values['base-url']?.replace(/\/+$/, '') ?? origin;
  const whole = origin + pathname;
  if (transport && !whole.startsWith(`${stated}/`)) return undefined;
  if (!transport && !pathname.endsWith(operation)) return undefined;
  const baseUrl = transport ? stated : whole.slice(0, -operation.length);
  return { baseUrl, sent: { ...request, path: whole.slice(baseUrl.length) + query } };
}

/** @param {{ sent: Request }} pair */
function isOfOperation({ sent }) {
  try {
    return restoreRequest(sent) !== undefined;
  } catch (error) {
    if (/** @type {Error} */ (error).name === 'UnsupportedRequestError') return false;
    throw error;
  }
}

/** @param {Request} sent @returns {Request} the documented request */
function restoreRequest(sent) {
  const documented = transport ? transport.restoreRequest(sent) : sent;
  const plain = ignore.length > 0 ? leaveOut(documented) : documented;
  return isMock ? addHeaders(plain) : plain;
}

/** A mock that does not ask for a header answers requests with it, too. @param {Request} request @returns {Request} */
function addHeaders({ headers, ...request }) {
  const documented = { 'Content-Type': 'application/json', 'X-Client-Application-Id': 'any', 'X-Client-Token': 'any' };
  const present = new Set(headers.map(([name]) => name.toLowerCase()));
  const added = Object.entries(documented).filter(([name]) => !present.has(name.toLowerCase()));
  return { ...request, headers: [...headers, ...added] };
}

/** @param {Request} request @returns {Request} without what is ignored, but for keys of metadata */
function leaveOut(request) {
  const [before = '', query = ''] = request.path.split(/\?(.*)/s);
  const kept = query.split('&').filter((pair) => !ignore.includes(pair.split('=')[0] ?? ''));
  const whole = kept.join('&') === '' ? before : `${before}?${kept.join('&')}`;
  return { ...request, path: whole, ...(request.body && { body: leaveOutMembers(request.body) }) };
}

/** @param {string} body stays as it is if it has nothing of that */
function leaveOutMembers(body) {
  const parents = new Set(['', 'customer', 'order', 'items']);
  /** @param {any} value @param {string} name @returns {any} */
  const clean = (value, name) => {
    if (Array.isArray(value)) return value.map((member) => clean(member, name));
    if (typeof value !== 'object' || value === null || !parents.has(name)) return value;
    const members = Object.entries(value).filter(([key]) => !ignore.includes(key));
    return Object.fromEntries(members.map(([key, member]) => [key, clean(member, key)]));
  };
  try {
    const parsed = JSON.parse(body);
    const cleaned = JSON.stringify(clean(parsed, ''));
    return cleaned === JSON.stringify(parsed) ? body : cleaned;
  } catch {
    return body;
  }
}
