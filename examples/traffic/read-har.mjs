// The pairs of an HTTP Archive (HAR 1.2) of a proxy, a gateway or a browser.

/** @param {import('har-format').Har} archive @returns {import('../mocks/pairs.mjs').Pair[]} */
export function readPairs({ log }) {
  return log.entries.map(({ request, response }, n) => {
    const { method, url, postData } = request;
    const sent = { method, url, headers: listHeaders(request), ...(postData?.text && { body: postData.text }) };
    return { name: `entry ${n + 1}`, request: sent, response: readResponse(response) };
  });
}

/** @param {Partial<import('har-format').Response>} [response] missing of a request that was aborted */
function readResponse(response = {}) {
  const { status } = response;
  /** @type {Partial<import('har-format').Content>} */
  const content = response.content ?? {};
  const text = content.text ?? (status === 204 || content.size === 0 ? '' : undefined);
  if (!status || text === undefined) return undefined;
  const body = content.encoding === 'base64' ? Buffer.from(text, 'base64').toString('utf8') : text;
  return { status, headers: listHeaders(response), body };
}

/** @param {{ headers?: import('har-format').Header[] }} message */
function listHeaders({ headers = [] }) {
  return headers.map(({ name, value }) => /** @type {const} */ ([name, value]));
}
