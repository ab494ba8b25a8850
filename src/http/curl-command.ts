import { getHeaderValues, type HttpRequest } from './exchange.js';

/**
 * A command line that sends a request again. Credentials stay variables of the shell: `$CLIENT_TOKEN`.
 *
 * @param baseUrl without a trailing slash; one such as `$BASE_URL` stays a variable of the shell, too
 */
export function renderCurlCommand({ method, path, headers, body, sent }: HttpRequest, baseUrl: string): string {
  // -g: brackets in the URL are meant literally. -i: show the status.
  const words = ['curl -gi'];
  if (method !== 'HEAD') words.push(`-X ${method}`);
  else if (body === undefined) words.push('--head');
  // curl's own HEAD takes no body; with -X it waits for one in the answer.
  else words.push('-X HEAD --max-time 10');
  words.push(isVariable(baseUrl) ? `"${baseUrl}"${quoted(path)}` : quoted(`${baseUrl}${path}`));
  for (const [name, value] of headers) {
    // A header without a value is written with a semicolon; with a colon, curl leaves it out.
    const line = value === '' ? `${name};` : `${name}: ${value}`;
    words.push(`-H ${isVariable(value) ? `"${line}"` : quoted(line)}`);
  }
  if (sent === 'chunked') words.push("-H 'Transfer-Encoding: chunked'");
  // curl would send a form's type with a body.
  if (body !== undefined && getHeaderValues(headers, 'content-type').length === 0) words.push("-H 'Content-Type:'");
  if (body !== undefined) words.push(`--data-raw ${quoted(body)}`);
  return words.join(' \\\n  ');
}

function isVariable(text: string): boolean {
  return /^\$[A-Z_]+$/.test(text);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
