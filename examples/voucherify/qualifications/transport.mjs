/**
 * Sends the cases through the published replacement of the operation, POST /client/v1/qualifications. It never ran against
 * the vendor. README.md names the documents that it follows.
 */

import { UnsupportedRequestError } from 'promotion-validation-conformance';

const documentedPath = '/v1/promotions/validation';
/** The largest page. */
const limit = 50;

/** @type {import('promotion-validation-conformance').Transport} */
export default async function sendThroughReplacement(request, { send }) {
  // The creation time of the 150th newest tier of the project, such as 2024-03-01T12:00:00.000Z. With it, older tiers are
  // left out, as the deprecated operation does. Without it they are returned, as the replacement does.
  const { OLDEST_CHECKED = '' } = process.env;
  const { metadata } = readQuery(request.path);
  const promotions = [];
  let cursor;
  let page;
  do {
    page = await send(createPageRequest(request, cursor));
    if (!isSuccessful(page)) return page;
    const { data, has_more, more_starting_after } = JSON.parse(page.body).redeemables;
    promotions.push(...data);
    // The cursor is the creation time of the last record.
    cursor = has_more ? (more_starting_after ?? data.at(-1)?.created_at) : undefined;
  } while (cursor !== undefined);
  // The replacement has no such filter.
  const hasAll = (/** @type {{ metadata?: Record<string, unknown> }} */ record) =>
    metadata.every(([key, value]) => key in (record.metadata ?? {}) && String(record.metadata?.[key]) === value);
  const kept = promotions.filter((each) => each.created_at >= OLDEST_CHECKED && hasAll(each));
  return { ...page, body: JSON.stringify({ valid: kept.length > 0, promotions: kept }) };
}

/**
 * @param {import('promotion-validation-conformance').TransportRequest} request documented
 * @param {string} [cursor] of the page before
 */
function createPageRequest({ method, path, headers, body = '{}' }, cursor) {
  if (method !== 'GET') throw new UnsupportedRequestError(`the method ${method}: the replacement is another operation`);
  if (path.split('?')[0] !== documentedPath)
    throw new UnsupportedRequestError('another path: the replacement is another operation');
  const { audience, campaigns, metadata, unknown } = readQuery(path);
  if (unknown !== undefined) throw new UnsupportedRequestError(`the query '${unknown}' has no counterpart in the body`);
  if (campaigns.length > 1 || new Set(metadata.map(([key]) => key)).size < metadata.length)
    throw new UnsupportedRequestError('a filter that is given twice: the body has each once');
  const request = { method: 'POST', path: '/v1/qualifications', headers };
  const parsed = parseObject(body);
  // What is no JSON object stays as it is: the replacement may refuse it.
  if (parsed === undefined) return { ...request, body };
  // The request is written anew, so what this would lose cannot be sent.
  if (JSON.stringify(parsed) !== body)
    throw new UnsupportedRequestError('this spelling of JSON: the transport writes the body anew');
  const { options = {}, ...others } = parsed;
  const { expand = [] } = options ?? {};
  if (options === null || typeof options !== 'object' || Array.isArray(options) || !Array.isArray(expand))
    throw new UnsupportedRequestError('options that are not as documented: the transport adds its own');
  const filters = {
    junction: 'and',
    resource_type: { conditions: { $is: ['promotion_tier'] } },
    ...(campaigns.length === 0 ? {} : { campaign_id: { conditions: { $is: campaigns } } }),
  };
  const own = { limit, filters, expand: [...expand, 'redeemable'], ...(cursor ? { starting_after: cursor } : {}) };
  const scenario = audience ? { scenario: 'AUDIENCE_ONLY' } : {};
  return { ...request, body: JSON.stringify({ ...others, ...scenario, options: { ...options, ...own } }) };
}

/**
 * Reads the documented query parameters; `unknown` is the first other one.
 *
 * @param {string} path
 */
function readQuery(path) {
  /** @type {{ audience: boolean, campaigns: string[], metadata: [string, string][], unknown?: string }} */
  const read = { audience: false, campaigns: [], metadata: [] };
  for (const pair of (path.split('?')[1] ?? '').split('&').filter(Boolean)) {
    const [name = '', value = ''] = pair.split(/=(.*)/s).map(decode);
    const key = /^\[filters\]\[metadata\.(.+)\]\[conditions\]\[\$is\]$/s.exec(name)?.[1];
    if (name === 'audienceRulesOnly' && value === 'true') read.audience = true;
    else if (name === '[filters][promotion_id][conditions][$is]') read.campaigns.push(value);
    else if (key !== undefined) read.metadata.push([key, value]);
    else read.unknown ??= pair;
  }
  return read;
}

/** @param {string} text */
function decode(text) {
  try {
    // A + is a space, as in HTML forms.
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

/** @param {string} body */
function parseObject(body) {
  try {
    const value = JSON.parse(body);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** @param {{ readonly status: number }} response */
function isSuccessful({ status }) {
  return status >= 200 && status < 300;
}
