import path from 'node:path';
import type { CertifiedTarget } from '../certificate/certificate.js';
import { computeDigest } from '../certificate/har-archive.js';
import type { Availability } from '../contract/bind-world.js';
import type { TransportIdentity } from '../http/transport.js';
import { createMentionFilter, type MentionFilter } from '../recognition/sibling-values.js';
import { omitUndefined } from '../support/omit-undefined.js';
import { type Location, UnusableInput } from '../support/problem.js';
import { toOneLine } from '../support/untrusted-text.js';
import { readAvailability } from './availability.js';
import type { Environment, RunOptions } from './run-options.js';
import { readConnection, type TargetConnection } from './target-connection.js';
import { readBeside, readTargetFile, resolveBeside, type TargetFile } from './target-file.js';

/** What is read once, from options, environment and target file. */
export interface LoadedTarget {
  readonly target: Target;
  readonly connection: TargetConnection;
  /** What it has of the world. */
  readonly availability: Availability;
  /** The folder of own cases, relative to the working folder. */
  readonly cases?: string;
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
  /** Whether intrusive cases run, too. */
  readonly intrusive?: boolean;
  /** Known outcomes, by question. */
  readonly pins: ReadonlyMap<string, { readonly outcome: string; readonly at: Location }>;
  /** Notes about values of the target file that are overridden. */
  readonly notes: readonly string[];
}

/**
 * Reads everything that a run knows of its target. The base URL of the options overrides the target file.
 *
 * @throws UnusableInput with all problems of the target file, the base URL and the variables
 */
export function loadTarget(options: RunOptions, environment: Environment): LoadedTarget {
  const file = readTargetFile(options);
  const stated = file?.document.cases;
  const cases = options.cases ?? (file && stated && path.relative('', resolveBeside(file, stated)));
  const { connection, problems, notes } = readConnection(options, environment, file);
  if (problems.length > 0) throw new UnusableInput(problems);
  const { endpoint } = connection;
  const defaultName = endpoint === undefined ? 'reference' : new URL(endpoint.baseUrl).host;
  return {
    target: {
      name: file?.document.name ?? defaultName,
      kind: endpoint === undefined ? 'reference' : 'deployment',
      isWorldLoaded: endpoint === undefined || options.worldLoaded === true || file?.document.world === 'loaded',
      notes,
      pins: new Map(),
      ...(file === undefined ? {} : readStatements(file)),
    },
    connection,
    availability: readAvailability(file),
    ...(cases === undefined ? {} : { cases }),
  };
}

/** Reads what a target file states about the deployment and its responses. */
function readStatements(file: TargetFile): Partial<Target> {
  const { version, contact, response = {}, pins = {}, transport, intrusive } = file.document;
  const locatePin = (question: string) => file.yaml.locate(['pins', question]);
  return omitUndefined({
    version,
    contact,
    intrusive,
    transport: transport === undefined ? undefined : identifyTransport(transport, file),
    tierPatterns: response.tier === undefined ? undefined : [response.tier].flat(),
    mentionFilter: createMentionFilter(response),
    pins: new Map(Object.entries(pins).map(([id, outcome]) => [id, { outcome, at: locatePin(id) }])),
  });
}

/** @param name of the module, relative to the target file */
function identifyTransport(name: string, target: TargetFile): TransportIdentity {
  const content = readBeside(target, name, ['transport']);
  return { name: name.replace(/^\.\//, ''), digest: computeDigest(Buffer.from(content)) };
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
