import { credentialHeaders } from '../contract/operation.js';
import type { PartialConnectionOptions } from '../http/connection-options.js';
import type { Secret } from '../redaction/redactor.js';
import { omitUndefined } from '../support/omit-undefined.js';
import type { Location, Problem } from '../support/problem.js';
import { readBeside, type TargetDocument, type TargetFile } from './target-file.js';

/** Reads a variable of the environment; one that is not set is a problem at the place that names it. */
export type ReadVariable = (name: string, at: Problem['at']) => string;

/** The variable that a value of a target file refers to, if it is a reference such as `$GATEWAY_KEY`. */
export function parseVariableReference(value: string): string | undefined {
  return /^\$([A-Za-z_][A-Za-z0-9_]*)$/.exec(value)?.[1];
}

/**
 * Reads the options of the connection that a target file states, in the units of the client.
 *
 * @param variable for what the file leaves to the environment
 * @param report gets what cannot be used
 * @throws UnusableInput where a file that this one names cannot be read
 */
export function readStatedOptions(
  file: TargetFile,
  variable: ReadVariable,
  report: (problem: Problem) => void,
): PartialConnectionOptions {
  const { proxy, tls, limits, pacing, budget, retry, allow_http } = file.document;
  return {
    ...headersIn(file, variable, report),
    ...omitUndefined({
      allowHttp: allow_http,
      proxy: proxy === undefined ? undefined : proxyIn(proxy, file.yaml.locate(['proxy']), variable),
      tls: tls && tlsIn(tls, file, report),
      limits:
        limits &&
        omitUndefined({
          timeoutMs: limits.timeout_ms,
          bodyBytes: limits.body_bytes,
          bodyValues: limits.body_values,
          headerBytes: limits.header_bytes,
        }),
      pacing:
        pacing && omitUndefined({ requestsPerSecond: pacing.requests_per_second, concurrency: pacing.concurrency }),
      budget: budget && omitUndefined({ requests: budget.requests, timeMs: milliseconds(budget.seconds) }),
      retry:
        retry &&
        omitUndefined({
          delaysMs: retry.delays_seconds?.map((seconds) => seconds * 1_000),
          maxDelayMs: milliseconds(retry.max_delay_seconds),
        }),
    }),
  };
}

function milliseconds(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1_000;
}

/** Headers that the cases or the client send themselves. */
const framing = 'content-.*|transfer-.*|host|connection|keep-alive|upgrade|expect|te|trailer';
const ownHeaders = new RegExp(`^(${Object.values(credentialHeaders).join('|')}|${framing})$`, 'i');

/** Headers whose values are secrets, by all that their names say. */
const secretHeaders = /auth|cookie|token|secret|password|api-?key/i;

function headersIn(
  { document, yaml }: TargetFile,
  variable: ReadVariable,
  report: (problem: Problem) => void,
): Pick<PartialConnectionOptions, 'extraHeaders' | 'secrets'> {
  if (document.headers === undefined) return {};
  const extraHeaders = Object.entries(document.headers);
  const secrets: Secret[] = [];
  for (const [name, value] of extraHeaders) {
    const reference = parseVariableReference(value);
    if (ownHeaders.test(name)) {
      const hint = "Leave it out: credentials have their own place, content is the cases', and framing the client's.";
      report({ at: yaml.locateKey(['headers', name]), message: `'${name}' is no header to set here`, hint });
    } else if (reference !== undefined) {
      secrets.push({ value: variable(reference, yaml.locate(['headers', name])), placeholder: value, name });
    } else if (/\$\{?[A-Za-z_]/.test(value)) {
      const hint = 'Only a whole value is replaced, as in $GATEWAY_KEY: put the rest into the variable.';
      report({ at: yaml.locate(['headers', name]), message: `the value of '${name}' is a variable in part`, hint });
    } else if (secretHeaders.test(name)) {
      const hint = 'Name a variable of the environment that holds it, as in $GATEWAY_KEY.';
      report({ at: yaml.locate(['headers', name]), message: `the value of '${name}' is a secret`, hint });
    }
  }
  return { extraHeaders, ...(secrets.length === 0 ? {} : { secrets }) };
}

function proxyIn(stated: string, at: Location, variable: ReadVariable): string {
  const reference = parseVariableReference(stated);
  return reference === undefined ? stated : variable(reference, at);
}

/** The texts of the files that are named. */
function tlsIn(
  names: NonNullable<TargetDocument['tls']>,
  file: TargetFile,
  report: (problem: Problem) => void,
): NonNullable<PartialConnectionOptions['tls']> {
  const texts = Object.entries(names).map(([use, name]) => {
    const at = ['tls', use];
    const text = readBeside(file, name, at);
    if (!/-----BEGIN [A-Z0-9 ]+-----/.test(text))
      report({ at: file.yaml.locate(at), message: `${name} is no PEM`, hint: 'It begins with -----BEGIN …-----.' });
    return [use, text];
  });
  return Object.fromEntries(texts);
}
