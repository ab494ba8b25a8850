import type { Plan } from '../engine/plan.js';
import { renderCurlCommand } from '../http/curl-command.js';
import type { Headers, HttpRequest } from '../http/exchange.js';
import { addHeaders } from '../http/request-headers.js';

/** Formats of requests for other programs. */
export const requestFormats = ['curl', 'http'] as const;
export type RequestFormat = (typeof requestFormats)[number];

const renderers = { curl: renderCurl, http: renderHttpFile } as const satisfies Record<RequestFormat, unknown>;

/**
 * Renders all requests of a plan.
 *
 * @param baseUrl without a trailing slash, or a variable such as `$BASE_URL`
 * @param extraHeaders the headers that the target wants with every request
 */
export function renderPlannedRequests(
  { calibration, cases }: Plan,
  format: RequestFormat,
  baseUrl: string,
  extraHeaders: Headers = [],
): string {
  const named = [{ id: 'calibration', requests: calibration }, ...cases].flatMap(({ id, requests }) =>
    requests.map((request, n) => ({ title: `${id}, ${n + 1} of ${requests.length}`, request })),
  );
  return named
    .map(({ title, request }) => renderers[format](title, addHeaders(request, extraHeaders), baseUrl))
    .join('\n');
}

function renderCurl(title: string, request: HttpRequest, baseUrl: string): string {
  return `# ${title}\n${renderCurlCommand(request, baseUrl)}\n`;
}

/** Renders an entry of an .http file, which editors send. Its variables are those of the editor. */
function renderHttpFile(title: string, { method, path, headers, body }: HttpRequest, baseUrl: string): string {
  const variable = (text: string) => text.replace(/^\$([A-Z_]+)$/, '{{$1}}');
  const lines = headers.map(([name, value]) => `${name}: ${variable(value)}`);
  const start = `### ${title}\n${method} ${variable(baseUrl)}${path} HTTP/1.1`;
  return `${[start, ...lines].join('\n')}\n${body === undefined ? '' : `\n${body}\n`}`;
}
