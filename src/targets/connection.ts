import type { Limits, Pacing, Repeats } from '../http/connection-options.js';
import type { Headers } from '../http/exchange.js';
import type { Secret } from '../http/redact.js';
import type { Location, Problem } from '../support/problem.js';
import type { Path } from '../support/yaml-file.js';
import { readBeside, type TargetFile } from './target-file.js';

/** How a deployment is asked, as its target file states it. */
export interface Manners {
  /** Sent with every request, beside its own; a value that is the placeholder of a secret is sent as the secret. */
  readonly headers?: Headers;
  readonly secrets?: readonly Secret[];
  /** The URL of a proxy; '' means none. */
  readonly proxy?: string;
  readonly pacing?: Partial<Pacing>;
  readonly limits?: Partial<Limits>;
  readonly repeats?: Partial<Repeats>;
  /** After so much nothing more is sent. */
  readonly budget?: { readonly requests?: number; readonly seconds?: number };
  /** PEM texts. */
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string };
  /** Whether credentials may go to another machine over plain HTTP. */
  readonly allowHttp?: boolean;
}

/** Reads a variable of the environment; one that is not set is a problem at the place that names it. */
export type ReadVariable = (name: string, at: Problem['at']) => string;

/** The variable that a value of a target file refers to, if it is a reference such as `$GATEWAY_KEY`. */
export function referredBy(value: string): string | undefined {
  return /^\$([A-Za-z_][A-Za-z0-9_]*)$/.exec(value)?.[1];
}

/** Headers that the cases or the client send themselves. */
const ownHeaders = /^(x-client-.*|content-.*|transfer-.*|host|connection|keep-alive|upgrade|expect|te|trailer)$/i;

/** Headers whose values are secrets, by all that their names say. */
const secretHeaders = /auth|cookie|token|secret|password|api-?key/i;

/**
 * Reads how a deployment is asked.
 *
 * @param variable for what the file leaves to the environment
 * @param report is told what cannot be used
 * @throws UnusableInput where a file that this one names cannot be read
 */
export function mannersIn(file: TargetFile, variable: ReadVariable, report: (problem: Problem) => void): Manners {
  const { proxy, pacing, limits, repeats, budget, tls, allow_http } = file.document;
  const bounds = defined({
    timeoutMs: limits?.timeout_ms,
    bodyBytes: limits?.body_bytes,
    bodyValues: limits?.body_values,
    headerBytes: limits?.header_bytes,
  });
  const pace = defined({ requestsPerSecond: pacing?.requests_per_second, concurrency: pacing?.concurrency });
  const milliseconds = (seconds: number): number => seconds * 1_000;
  const patience = defined({
    waitsMs: repeats?.waits_seconds?.map(milliseconds),
    longestWaitMs: repeats?.longest_wait_seconds === undefined ? undefined : milliseconds(repeats.longest_wait_seconds),
  });
  const pem = Object.entries(tls ?? {}).map(([part, name]) => [part, pemIn(file, name, ['tls', part], report)]);
  return {
    ...defined({ budget, allowHttp: allow_http }),
    ...headersIn(file, variable, report),
    ...(proxy === undefined ? {} : { proxy: proxyIn(proxy, file.yaml.at(['proxy']), variable) }),
    ...(pacing === undefined ? {} : { pacing: pace }),
    ...(limits === undefined ? {} : { limits: bounds }),
    ...(repeats === undefined ? {} : { repeats: patience }),
    ...(tls === undefined ? {} : { tls: Object.fromEntries(pem) }),
  };
}

function pemIn(file: TargetFile, name: string, steps: Path, report: (problem: Problem) => void): string {
  const text = readBeside(file, name, steps);
  if (!/-----BEGIN [A-Z0-9 ]+-----/.test(text))
    report({ at: file.yaml.at(steps), message: `${name} is no PEM`, hint: 'It begins with -----BEGIN …-----.' });
  return text;
}

function headersIn(
  { document, yaml }: TargetFile,
  variable: ReadVariable,
  report: (problem: Problem) => void,
): Pick<Manners, 'headers' | 'secrets'> {
  if (document.headers === undefined) return {};
  const headers = Object.entries(document.headers);
  const secrets: Secret[] = [];
  for (const [name, value] of headers) {
    const reference = referredBy(value);
    if (ownHeaders.test(name)) {
      const hint = "Leave it out: credentials have their own place, content is the cases', and framing the client's.";
      report({ at: yaml.atKey(['headers', name]), message: `'${name}' is no header to set here`, hint });
    } else if (reference !== undefined) {
      secrets.push({ value: variable(reference, yaml.at(['headers', name])), placeholder: value });
    } else if (secretHeaders.test(name)) {
      const hint = 'Name a variable of the environment that holds it, as in $GATEWAY_KEY.';
      report({ at: yaml.at(['headers', name]), message: `the value of '${name}' is a secret`, hint });
    }
  }
  return { headers, ...(secrets.length === 0 ? {} : { secrets }) };
}

function proxyIn(stated: string, at: Location, variable: ReadVariable): string {
  const reference = referredBy(stated);
  return reference === undefined ? stated : variable(reference, at);
}

/** The members that are there. */
export function defined<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as typeof members;
}
