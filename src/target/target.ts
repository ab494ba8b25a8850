import path from 'node:path';
import type { CertifiedTarget } from '../certificate/certificate.js';
import { computeDigest } from '../certificate/har-archive.js';
import type { Availability } from '../contract/bind-world.js';
import type { TransportIdentity } from '../http/transport.js';
import { createMentionFilter, type MentionFilter } from '../recognition/sibling-values.js';
import { omitUndefined } from '../support/omit-undefined.js';
import { type Location, UnusableInput } from '../support/problem.js';
import { toOneLine } from '../support/untrusted-text.js';
import type { Environment, RunOptions } from './run-options.js';
import { readConnection, type TargetConnection } from './target-connection.js';
import {
  readAvailability,
  readBeside,
  readTargetFile,
  resolveBeside,
  type TargetDocument,
  type TargetFile,
} from './target-file.js';

/** What is read once, from options, environment and target file. */
export interface LoadedTarget {
  readonly target: Target;
  readonly connection: TargetConnection;
  /** What it has of the world. */
  readonly availability: Availability;
  /** The folder of own cases, relative to the working folder. */
  readonly cases?: string;
  /** The file of its record, relative to the working folder. It need not exist. */
  readonly record?: string;
  /** Known outcomes of questions. */
  readonly pins: readonly { readonly question: string; readonly outcome: string; readonly at: Location }[];
  /** The file of known deviations, relative to the working folder. */
  readonly known?: string;
  /** Whether intrusive cases run, too. */
  readonly intrusive?: boolean;
  /** Notes about values of the target file that are overridden. */
  readonly notes: readonly string[];
}

/** A deployment under test, without its connection. It contains no secrets. */
export interface Target {
  readonly name: string;
  readonly kind: 'deployment' | 'reference';
  readonly version?: string;
  /** Who is responsible for the implementation. */
  readonly contact?: string;
  /** Whether the test data is known to be loaded, whatever the responses show. */
  readonly isWorldLoaded: boolean;
  /** What the cases are sent through, if not through the documented operation. */
  readonly transport?: TransportIdentity;
  /** Patterns under which responses name the returned tiers, if the suite cannot detect them. */
  readonly tierPatterns?: readonly string[];
  /** Which ids under these patterns name returned tiers. */
  readonly mentionFilter?: MentionFilter;
}

/**
 * Reads everything that a run knows of its target. The base URL of the options overrides the target file.
 *
 * @param use whether something is sent; `offline`, no variable is needed
 * @throws UnusableInput with all problems of the target file, the base URL and the variables
 */
export function loadTarget(
  options: RunOptions,
  environment: Environment,
  use: 'online' | 'offline' = 'online',
): LoadedTarget {
  const file = readTargetFile(options);
  const { connection, problems, notes } = readConnection(options, environment, file);
  if (problems.length > 0 && use === 'online') throw new UnusableInput(problems);
  const { endpoint } = connection;
  const locate = (named: string | undefined) => file && named && path.relative('', resolveBeside(file, named));
  const {
    name,
    version,
    contact,
    world,
    response = {},
    pins = {},
    intrusive,
    cases,
    record,
    known,
  }: Partial<TargetDocument> = file?.document ?? {};
  return {
    target: {
      name: name ?? (endpoint === undefined ? 'reference' : new URL(endpoint.baseUrl).host),
      kind: endpoint === undefined ? 'reference' : 'deployment',
      isWorldLoaded: endpoint === undefined || options.worldLoaded === true || world === 'loaded',
      ...omitUndefined({
        version,
        contact,
        transport: file && identifyTransport(file),
        tierPatterns: response.tier === undefined ? undefined : [response.tier].flat(),
        mentionFilter: createMentionFilter(response),
      }),
    },
    connection,
    availability: readAvailability(file, options.data),
    pins: Object.entries(pins).map(([question, outcome]) => {
      return { question, outcome, at: (file as TargetFile).yaml.locate(['pins', question]) };
    }),
    notes,
    ...omitUndefined({
      intrusive,
      cases: options.cases ?? locate(cases),
      record: locate(record),
      known: locate(known),
    }),
  };
}

function identifyTransport(file: TargetFile): TransportIdentity | undefined {
  const { transport } = file.document;
  if (transport === undefined) return undefined;
  const content = readBeside(file, transport, ['transport']);
  return { name: transport.replace(/^\.\//, ''), digest: computeDigest(Buffer.from(content)) };
}

/** Creates the entry of the certificate for a target; each text becomes one line. */
export function createCertifiedTarget(
  { name, kind, version, contact, transport }: Target,
  baseUrl: string,
): CertifiedTarget {
  return {
    name: toOneLine(name),
    ...omitUndefined({ version: version && toOneLine(version), contact: contact && toOneLine(contact) }),
    base_url: toOneLine(baseUrl),
    ...omitUndefined({ transport }),
    ...(kind === 'reference' ? { is_reference: true } : {}),
  };
}
