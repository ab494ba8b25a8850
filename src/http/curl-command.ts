import { quote } from 'shlex';
import { toOneLine } from '../support/untrusted-text.js';
import { acceptHeaders, addHeaders, getHeaderValues, type HttpRequest } from './exchange.js';

/** The beginning of a command. */
const curl = 'curl ';

/** For a POSIX shell. It expands variables such as `$BASE_URL` as base URL and credentials, and nothing else. */
export function renderCurlCommand(request: HttpRequest, baseUrl: string): string {
  const { method, path, headers, body, sent } =
    request.sent === 'with-accept-headers' ? addHeaders(request, acceptHeaders) : request;
  // -g: take brackets in the URL literally. -i: show the status.
  const words = [`${curl}-gi`, `-X ${quote(method)}`];
  // curl waits for a body in the response. --head would allow none in the request.
  if (method === 'HEAD') words.push('--max-time 10');
  words.push(renderUrl(baseUrl, path));
  for (const [name, value] of headers) words.push(`-H ${renderHeader(name, value)}`);
  if (sent === 'chunked') words.push("-H 'Transfer-Encoding: chunked'");
  // Without --compressed, curl shows compressed bytes.
  if (sent === 'with-accept-headers') words.push('--compressed');
  // Without this, curl adds the media type of a form to a body.
  if (body !== undefined && getHeaderValues(headers, 'content-type').length === 0) words.push("-H 'Content-Type:'");
  if (body !== undefined) words.push(isPrintable(body) ? `--data-raw ${quote(body)}` : '--data-binary @-');
  // An address with a line break is none. Its text begins no line.
  const command = words.map(toOneLine).join(' \\\n  ');
  return body === undefined || isPrintable(body)
    ? command
    : `printf %b ${quote(escapeForPrintf(body))} |\n  ${command}`;
}

/**
 * One command for a request and the one before it. A single process of curl keeps the connection.
 *
 * @returns the command for the request alone, unless it has to be sent on the connection of the one before
 */
export function renderCurlCommandAfter(before: HttpRequest | undefined, request: HttpRequest, baseUrl: string): string {
  const command = renderCurlCommand(request, baseUrl);
  if (before === undefined || request.sent !== 'on-the-connection-before') return command;
  const first = renderCurlCommand(before, baseUrl);
  // A command that reads a body from its input cannot be joined to another one.
  const areJoinable = [first, command].every((words) => words.startsWith(curl));
  return areJoinable ? `${first} \\\n  --next ${command.slice(curl.length)}` : command;
}

/** Puts a command on one line, for a place that has only one. */
export function joinCommandLines(command: string): string {
  return command.replaceAll(/(?: \\)?\n {2}/g, ' ');
}

function renderUrl(baseUrl: string, path: string): string {
  if (isVariable(baseUrl)) return `"${baseUrl}"${quote(path)}`;
  // Anything else could be an option of curl.
  return `${/^https?:/.test(baseUrl) ? '' : '--url '}${quote(baseUrl + path)}`;
}

function renderHeader(name: string, value: string): string {
  // curl writes an empty header with a semicolon. With a colon, it omits the header.
  if (value === '') return quote(`${name};`);
  return isVariable(value) && /^[\w-]+$/.test(name) ? `"${name}: ${value}"` : quote(`${name}: ${value}`);
}

function isVariable(text: string): boolean {
  return /^\$(BASE_URL|CLIENT_APPLICATION_ID|CLIENT_TOKEN)$/.test(text);
}

function isPrintable(text: string): boolean {
  return toOneLine(text) === text;
}

/** Escapes a text for `printf %b` (POSIX), on one line: its bytes come back unchanged. */
function escapeForPrintf(text: string): string {
  return text.replaceAll(/[^ -~]|[\\#]/gu, (character) => {
    if (character === '\n') return '\\n';
    return Array.from(Buffer.from(character), (byte) => `\\0${byte.toString(8).padStart(3, '0')}`).join('');
  });
}
