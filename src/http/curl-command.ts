import { getHeaderValues, type HttpRequest } from './exchange.js';

/**
 * Renders a curl command that sends a request again. Credentials stay shell variables: `$CLIENT_TOKEN`.
 *
 * @param baseUrl without a slash at its end; a shell variable such as `$BASE_URL` stays one
 */
export function renderCurlCommand({ method, path, headers, body, sent }: HttpRequest, baseUrl: string): string {
  // -g: take brackets in the URL literally. -i: show the status.
  const words = ['curl -gi'];
  if (method !== 'HEAD') words.push(`-X ${method}`);
  else if (body === undefined) words.push('--head');
  // --head allows no body. With -X HEAD, curl waits for a body in the response.
  else words.push('-X HEAD --max-time 10');
  words.push(isVariable(baseUrl) ? `"${baseUrl}"${quote(path)}` : quote(`${baseUrl}${path}`));
  for (const [name, value] of headers) {
    // curl writes an empty header with a semicolon. With a colon, it omits the header.
    const line = value === '' ? `${name};` : `${name}: ${value}`;
    words.push(`-H ${isVariable(value) ? `"${line}"` : quote(line)}`);
  }
  if (sent === 'chunked') words.push("-H 'Transfer-Encoding: chunked'");
  // Without this, curl adds the media type of a form to a body.
  if (body !== undefined && getHeaderValues(headers, 'content-type').length === 0) words.push("-H 'Content-Type:'");
  if (body !== undefined) words.push(`--data-raw ${quote(body)}`);
  return words.join(' \\\n  ');
}

function isVariable(text: string): boolean {
  return /^\$[A-Z_]+$/.test(text);
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
