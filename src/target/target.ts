import path from 'node:path';
import type { CertifiedTarget } from '../certificate/certificate.js';
import { computeDigest } from '../certificate/har-archive.js';
import type { Availability } from '../contract/bind-world.js';
import type { TransportIdentity } from '../http/transport.js';
import { createMentionFilter } from '../recognition/sibling-values.js';
import type { EngineOptions } from '../run/run.js';
import { omitUndefined } from '../support/omit-undefined.js';
import { UnusableInput } from '../support/problem.js';
import { toOneLine } from '../support/untrusted-text.js';
import { readConnection, type TargetConnection } from './connection.js';
import type { Environment, RunOptions } from './run-options.js';
import { readAvailability, readBeside, readTargetFile, type TargetDocument, type TargetFile } from './target-file.js';

/** What is read once, from options, environment and target file. */
export interface LoadedTarget {
  readonly file: TargetFile | undefined;
  readonly target: Target;
  readonly connection: TargetConnection;
  readonly availability: Availability;
  /** Notes about values of the target file that are overridden. */
  readonly notes: readonly string[];
}

/** A deployment under test, without its connection. It contains no secrets. */
export interface Target extends Pick<EngineOptions, 'tierPatterns' | 'mentionFilter'> {
  readonly name: string;
  readonly kind: 'deployment' | 'reference';
  readonly version?: string;
  /** The target file, relative to the working folder. */
  readonly file?: string;
  /** Whether the test data is known to be loaded, whatever the responses show. */
  readonly isWorldLoaded: boolean;
  /** What the cases are sent through, if not through the documented operation. */
  readonly transport?: TransportIdentity;
}

/** Reads all that a run knows of its target. @param use `offline`, no variable is needed @throws UnusableInput */
export function loadTarget(
  options: RunOptions,
  environment: Environment,
  use: 'online' | 'offline' = 'online',
): LoadedTarget {
  const file = readTargetFile(options);
  const { connection, problems, notes } = readConnection(options, environment, file);
  if (problems.length > 0 && use === 'online') throw new UnusableInput(problems);
  const { endpoint } = connection;
  const { name, version, world, response = {} }: Partial<TargetDocument> = file?.document ?? {};
  return {
    file,
    target: {
      name: name ?? (endpoint === undefined ? 'reference' : new URL(endpoint.baseUrl).host),
      kind: endpoint === undefined ? 'reference' : 'deployment',
      isWorldLoaded: endpoint === undefined || options.worldLoaded === true || world === 'loaded',
      ...omitUndefined({
        version: version && toOneLine(version),
        file: file && toOneLine(path.relative('', file.yaml.file)),
        transport: file && identifyTransport(file),
        tierPatterns: response.tier === undefined ? undefined : [response.tier].flat(),
        mentionFilter: createMentionFilter(response),
      }),
    },
    connection,
    availability: readAvailability(file, options.data),
    notes,
  };
}

function identifyTransport(file: TargetFile): TransportIdentity | undefined {
  const { transport } = file.document;
  if (transport === undefined) return undefined;
  const content = readBeside(file, transport, ['transport']);
  return { name: transport.replace(/^\.\//, ''), digest: computeDigest(Buffer.from(content)) };
}

/** Creates the entry of the certificate for a target. */
export function createCertifiedTarget(
  { name, kind, version, file, transport }: Target,
  baseUrl: string,
): CertifiedTarget {
  return {
    name: toOneLine(name),
    base_url: toOneLine(baseUrl),
    ...omitUndefined({ version, file, transport }),
    ...(kind === 'reference' ? { is_reference: true } : {}),
  };
}
