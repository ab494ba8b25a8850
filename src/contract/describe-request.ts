import type { HttpRequest } from '../http/exchange.js';
import { parseRequest } from '../http/request-content.js';
import { parseFilterParameter } from './operation.js';

/** Lists what a gateway may refuse in a request, most peculiar first. */
export function describeRequest(request: HttpRequest): string[] {
  const { path, sent } = request;
  const { query, body } = parseRequest(request);
  const text = request.body ?? '';
  return [
    ...query.flatMap(([name]) => {
      const subject = parseFilterParameter(name);
      return subject === undefined ? `the query parameter '${name}'` : `a ${subject.on} filter`;
    }),
    ...(path.includes('[') ? ['brackets in the query'] : []),
    ...(/%[0-9a-f]{2}/i.test(path) ? ['percent-encoding in the query'] : []),
    ...(sent === undefined ? [] : [`a body or headers sent ${sent.replaceAll('-', ' ')}`]),
    ...(typeof body === 'object' && body !== null ? Object.keys(body).map((key) => `the member '${key}'`) : []),
    ...(/[^\x20-\x7e\s]/.test(text) ? ['letters beyond ASCII in the body'] : []),
  ].filter((feature, n, all) => all.indexOf(feature) === n);
}
