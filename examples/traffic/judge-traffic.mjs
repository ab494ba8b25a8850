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
//   --help              prints this
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { judge } from 'promotion-validation-conformance';
import { describeOtherForm, forms } from './forms.mjs';

/** @typedef {import('../mocks/pairs.mjs').Pair} Pair */
/** @typedef {import('promotion-validation-conformance').TransportRequest} Request */

const operation = '/v1/promotions/validation';
const formats = Object.keys(forms).join(', ');
const usage = 'node judge-traffic.mjs shop.json traffic.har';
const { positionals, values } = readArguments({
  allowPositionals: true,
  options: {
    help: { type: 'boolean', short: 'h' },
    from: { type: 'string' },
    'base-url': { type: 'string' },
    tier: { type: 'string' },
    transport: { type: 'string' },
    ignore: { type: 'string', multiple: true, default: [] },
  },
});
const { from = 'har', tier, ignore } = values;
if (values.help) printHelp();
const [data, ...named] = positionals;
const form = Object.hasOwn(forms, from) ? forms[from] : undefined;
if (form === undefined) exit(`Unknown format '${from}'. The formats are: ${formats}.`);
if (data === undefined || named.length === 0)
  exit(`Name the data file, then the files with traffic: ${usage}. --help explains the options.`);
checkDataFile(data);
const isMock = from !== 'har';
const { readPairs } = await import(form.reader);
const transport = values.transport === undefined ? undefined : await loadTransport(values.transport);

/** @type {Pair[]} */
const pairs = named.flatMap(listFiles).flatMap(readFile);
const addressed = pairs.flatMap((pair) => {
  const address = pair.request && findAddress(pair.request);
  return address ? [{ ...pair, ...address }] : [];
});
const baseUrls = [...new Set(addressed.filter(isOfOperation).map(({ baseUrl }) => baseUrl))];
const wanted = values['base-url']?.replace(/\/+$/, '') ?? baseUrls[0];
const known = addressed.filter(({ baseUrl }) => baseUrl === wanted);
if (baseUrls.length === 0) exit(explainNoExchange());
if (known.length === 0 || (baseUrls.length > 1 && values['base-url'] === undefined))
  exit(`Name one deployment with --base-url. ${named.join(', ')} has: ${baseUrls.join(', ')}.`);
const exchanges = known.flatMap(({ name, sent, response }) => (response ? [{ name, request: sent, response }] : []));

/** @type {Map<string, number>} */
const counts = new Map();
const judgements = judgeAll(exchanges);
for (const [n, { verdict, reason }] of judgements.entries()) {
  if (verdict === 'fail') console.log(`${exchanges[n]?.name}: ${reason}`);
  // The numbers of items differ.
  const counted =
    verdict === 'pass' || verdict === 'fail' ? verdict : `${verdict}: ${reason.replaceAll(/\/\d+/g, '/*')}`;
  counts.set(counted, (counts.get(counted) ?? 0) + 1);
}
if (exchanges.length < known.length) counts.set('no response, or no body of it', known.length - exchanges.length);
const where = wanted === '' ? '' : ` of ${wanted}`;
console.log(
  `${pairs.length} exchange${pairs.length === 1 ? '' : 's'}, ${known.length} of them with the operation${where}:`,
);
for (const [counted, count] of counts) console.log(`${count} × ${counted}`);
if (transport)
  console.log(`Through a transport, ${values.transport}: requests of the documented form were not judged.`);
else if (judgements.some(({ verdict }) => verdict === 'undocumented'))
  console.log(
    'Undocumented: if callers spell requests otherwise, such as with POST, name a module that turns them back (--transport, docs/transports.md).',
  );
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
    return exit(`${/** @type {Error} */ (error).message} --help explains the options.`);
  }
}

/** Prints the comment at the top of this file. @returns {never} */
function printHelp() {
  const [comment = ''] = readFileSync(fileURLToPath(import.meta.url), 'utf8').split(/^import /m);
  console.log(comment.replaceAll(/^\/\/ ?/gm, '').trimEnd());
  process.exit(0);
}

/** Whatever else is wrong with it, `judge` says. @param {string} file */
function checkDataFile(file) {
  const order = `The data file comes first: ${usage}.`;
  if (!existsSync(file)) exit(`${file}: there is no such file. ${order}`);
  if (statSync(file).isDirectory()) exit(`${file}: is a folder, and no data file. ${order}`);
  const document = tryParse(readFileSync(file, 'utf8'));
  const isTraffic = Object.values(forms).find(({ fits }) => fits(document));
  if (isTraffic) exit(`${file}: is no data file, but seems to be ${isTraffic.name}. ${order}`);
}

/** @param {string} file of a transport */
async function loadTransport(file) {
  const loaded = await import(pathToFileURL(file).href).catch(({ message }) => {
    const [, missing] = /^Cannot find package '([^']+)'/.exec(message) ?? [];
    const folder = path.dirname(path.resolve(file));
    const advice =
      missing === undefined ? '' : ` Install the package where it lies: cd ${folder} && npm install ${missing}`;
    return exit(`${file}: cannot be loaded: ${message}.${advice}`);
  });
  if (!loaded.restoreRequest) exit(`${file} does not export restoreRequest.`);
  return loaded;
}

/**
 * @param {string} file
 * @returns {Pair[]}
 */
function readFile(file) {
  const { name, has, fits } = /** @type {NonNullable<typeof form>} */ (form);
  const formsHint = `--from takes ${formats}${values.from === undefined ? '; without it, a file is read as har' : ''}.`;
  const document = tryParse(readFileSync(file, 'utf8'));
  if (document === undefined)
    exit(`${file}: is not JSON, or is cut off, so it cannot be read as ${from}. ${formsHint}`);
  if (!fits(document))
    exit(
      [`${file}: cannot be read as ${from}, ${name}: that has ${has}.`, describeOtherForm(document), formsHint].join(
        ' ',
      ),
    );
  try {
    return readPairs(document, file);
  } catch {
    return exit(`${file}: cannot be read as ${from}: a part of it is not as in ${name}. ${formsHint}`);
  }
}

/** @param {string} text @returns {unknown} undefined if it is not JSON */
function tryParse(text) {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}

/** @param {Parameters<typeof judge>[0]} all */
function judgeAll(all) {
  try {
    return judge(all, { data: /** @type {string} */ (data), restoreRequest, ...(tier && { response: { tier } }) });
  } catch (error) {
    const { name, message } = /** @type {Error} */ (error);
    if (name === 'UnusableInput') exit(message);
    throw error;
  }
}

function explainNoExchange() {
  const none = `${named.join(', ')}: none of ${pairs.length} exchanges is with the operation`;
  if (transport) return `${none}: ${values.transport} restores no request. Is --base-url right?`;
  return `${none}: no URL ends in ${operation}. If callers use another path, name a module that turns their requests back: --transport (docs/transports.md).`;
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
  const documented = transport ? restoreWithTransport(sent) : sent;
  const plain = ignore.length > 0 ? leaveOut(documented) : documented;
  return isMock ? addHeaders(plain) : plain;
}

/** @param {Request} sent @returns {Request} */
function restoreWithTransport(sent) {
  try {
    return transport.restoreRequest(sent);
  } catch (error) {
    const { name, stack } = /** @type {Error} */ (error);
    if (name === 'UnsupportedRequestError') throw error;
    return exit(`${values.transport}: restoreRequest failed: ${stack}`);
  }
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
