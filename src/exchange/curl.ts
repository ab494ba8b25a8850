import type { HttpRequest } from './exchange.js';

/**
 * A command line that sends a request again. Credentials stay variables of the shell: `$CLIENT_TOKEN`.
 *
 * @param baseUrl without a trailing slash
 */
export function curlCommand({ method, path, headers, body }: HttpRequest, baseUrl: string): string {
  // -g: brackets in the URL are meant literally. -i: show the status.
  const parts = ['curl -gi'];
  if (method === 'HEAD') parts.push('--head');
  else parts.push(`-X ${method}`);
  parts.push(quoted(`${baseUrl}${path}`));
  for (const [name, value] of headers) {
    parts.push(`-H ${/^\$[A-Z_]+$/.test(value) ? `"${name}: ${value}"` : quoted(`${name}: ${value}`)}`);
  }
  if (body !== undefined) parts.push(`--data-raw ${quoted(body)}`);
  return parts.join(' \\\n  ');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
