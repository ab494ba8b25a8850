import path from 'node:path';
import type { CertifiedTarget } from '../certificate/certificate.js';
import { computeDigest } from '../certificate/har-archive.js';
import type { Availability } from '../contract/bind-world.js';
import type { Relocation } from '../contract/relocation.js';
import type { TransportIdentity } from '../http/transport.js';
import { createMentionFilter, type MentionFilter } from '../recognition/sibling-values.js';
import type { AdditivePolicy } from '../record/drift.js';
import { isJsonObject, parseJson } from '../support/json.js';
import { omitUndefined } from '../support/omit-undefined.js';
import { type Location, refuse, UnusableInput } from '../support/problem.js';
import { toOneLine } from '../support/untrusted-text.js';
import { compileSchema } from '../support/user-schema.js';
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
  /** The method and path of the operation, if not as documented. */
  readonly operation?: Relocation;
  /** What the cases are sent through, if not through the documented operation. */
  readonly transport?: TransportIdentity;
  /** Patterns under which responses name the returned tiers, if the suite cannot detect them. */
  readonly tierPatterns?: readonly string[];
  /** Which ids under these patterns name returned tiers. */
  readonly mentionFilter?: MentionFilter;
  /** A JSON Schema of successful bodies. */
  readonly responseSchema?: object;
  /** How new members in responses are treated. */
  readonly additive?: AdditivePolicy;
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
  const { version, contact, response = {}, pins = {}, operation, transport, drift, intrusive } = file.document;
  const locatePin = (question: string) => file.yaml.locate(['pins', question]);
  return omitUndefined({
    version,
    contact,
    operation,
    intrusive,
    transport: transport === undefined ? undefined : identifyTransport(transport, file),
    additive: drift?.additive,
    tierPatterns: response.tier === undefined ? undefined : [response.tier].flat(),
    mentionFilter: createMentionFilter(response),
    responseSchema: response.schema === undefined ? undefined : readSchema(response.schema, file),
    pins: new Map(Object.entries(pins).map(([id, outcome]) => [id, { outcome, at: locatePin(id) }])),
  });
}

/** @param name of the module, relative to the target file */
function identifyTransport(name: string, target: TargetFile): TransportIdentity {
  if (target.document.operation !== undefined) {
    const hint = "Remove 'operation': the transport decides about method and path.";
    throw refuse(target.yaml.locateKey(['operation']), "cannot be combined with 'transport'", hint);
  }
  const content = readBeside(target, name, ['transport']);
  return { name: name.replace(/^\.\//, ''), digest: computeDigest(Buffer.from(content)) };
}

/** @param name of the schema's file, relative to the target file */
function readSchema(name: string, target: TargetFile): object {
  try {
    const schema = parseJson(readBeside(target, name, ['response', 'schema']));
    if (!isJsonObject(schema)) throw new Error('it is not a JSON object');
    compileSchema(schema);
    return schema;
  } catch (error) {
    if (error instanceof UnusableInput) throw error;
    const message = `'${name}' cannot be used as a JSON Schema: ${(error as Error).message}`;
    throw refuse(target.yaml.locate(['response', 'schema']), message, 'Name a file with a valid schema.');
  }
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
