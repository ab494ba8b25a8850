import { readFileSync } from 'node:fs';
import type { Operation } from '../contract/relocation.js';
import type { AdditivePolicy } from '../judge/drift.js';
import type { CertifiedTarget } from '../report/certificate.js';
import { omitUndefined } from '../support/omit-undefined.js';
import { type Location, UnusableInput } from '../support/problem.js';
import { toOneLine } from '../support/untrusted-text.js';
import { compileSchema } from '../support/user-schema.js';
import type { Environment } from './environment.js';
import type { RunOptions } from './run-options.js';
import { readConnection, type TargetConnection, type TargetLocation } from './target-connection.js';
import { readTargetFile, resolveBeside, type TargetFile } from './target-file.js';

/** A deployment under test, save for how it is reached. Nothing of it is secret, and `v8.serialize` takes it. */
export interface Target {
  readonly name: string;
  readonly kind: TargetLocation['kind'];
  /** Of the implementation. */
  readonly version?: string;
  /** Who answers for the implementation. */
  readonly contact?: string;
  /** Whether it is known to have the world, whatever its responses show. */
  readonly isWorldLoaded: boolean;
  /** Where the operation is, if not where the documentation says. */
  readonly operation?: Operation;
  /** The patterns under which returned tiers are named, where the suite cannot find them out. */
  readonly tierPatterns?: readonly string[];
  /** A JSON Schema of successful bodies. */
  readonly responseSchema?: object;
  /** What becomes of members that are new in its responses. */
  readonly additive?: AdditivePolicy;
  /** Outcomes that the target is known to have, by question. */
  readonly pins: ReadonlyMap<string, { readonly outcome: string; readonly at: Location }>;
  /** What of the target file is not used, since the environment says otherwise. */
  readonly notes?: readonly string[];
}

/**
 * Finds out which deployment is under test, and how it is reached.
 *
 * @param environment BASE_URL, CLIENT_APPLICATION_ID and CLIENT_TOKEN win over the file that TARGET names, if it does
 * @throws UnusableInput with all that is wrong with file and base URL, and every variable that is not set
 */
export function loadTarget(
  options: RunOptions,
  environment: Environment,
): { target: Target; connection: TargetConnection } {
  const file = readTargetFile(options);
  const { connection, problems, notes } = readConnection(options, environment, file);
  if (problems.length > 0) throw new UnusableInput(problems);
  const { location: place } = connection;
  const usualName = place.kind === 'reference' ? 'reference' : new URL(place.baseUrl).host;
  return {
    target: {
      name: file?.document.name ?? usualName,
      kind: place.kind,
      ...(file === undefined ? { pins: new Map() } : statedIn(file)),
      isWorldLoaded: place.kind === 'reference' || options.worldLoaded === true || file?.document.world === 'loaded',
      ...(notes.length === 0 ? {} : { notes }),
    },
    connection,
  };
}

/** What a target file states of the deployment and of its responses. */
function statedIn(file: TargetFile): Omit<Target, 'name' | 'kind' | 'notes' | 'isWorldLoaded'> {
  const { version, contact, response = {}, pins = {}, operation, drift } = file.document;
  return {
    ...omitUndefined({
      version,
      contact,
      operation,
      additive: drift?.additive,
      tierPatterns: response.tier === undefined ? undefined : [response.tier].flat(),
      responseSchema: response.schema === undefined ? undefined : readSchema(response.schema, file),
    }),
    pins: new Map(
      Object.entries(pins).map(([question, outcome]) => [
        question,
        { outcome, at: file.yaml.locate(['pins', question]) },
      ]),
    ),
  };
}

/** @param name of the schema's file, relative to the target file */
function readSchema(name: string, target: TargetFile): object {
  try {
    const schema = JSON.parse(readFileSync(resolveBeside(target, name), 'utf8')) as object;
    compileSchema(schema);
    return schema;
  } catch (error) {
    const message = `${name} cannot be used as a JSON Schema: ${(error as Error).message}`;
    throw new UnusableInput([
      { at: target.yaml.locate(['response', 'schema']), message, hint: 'Name a file with a valid schema.' },
    ]);
  }
}

/** What a certificate says of a target: a line each, whatever the target file holds. */
export function createCertifiedTarget({ name, kind, version, contact }: Target, baseUrl: string): CertifiedTarget {
  const stated = omitUndefined({ version, contact });
  const lines = Object.fromEntries(Object.entries(stated).map(([member, text]) => [member, toOneLine(text)]));
  return {
    name: toOneLine(name),
    ...lines,
    base_url: toOneLine(baseUrl),
    ...(kind === 'reference' ? { is_reference: true } : {}),
  };
}
