import path from 'node:path';
import { computeDigest } from '../certificate/har-archive.js';
import type { TransportIdentity } from '../http/transport.js';
import { createMentionFilter } from '../recognition/sibling-values.js';
import type { EngineOptions } from '../run/run.js';
import { omitUndefined } from '../support/omit-undefined.js';
import { UnusableInput } from '../support/problem.js';
import { toOneLine } from '../support/untrusted-text.js';
import { readConnection } from './connection.js';
import type { Environment, RunOptions } from './run-options.js';
import { readAvailability, readBeside, readTargetFile, type TargetDocument, type TargetFile } from './target-file.js';

export type LoadedTarget = ReturnType<typeof loadTarget>;

/** A deployment under test, without its connection. It contains no secrets. */
export interface Target extends Pick<EngineOptions, 'tierPatterns' | 'mentionFilter'> {
  readonly name: string;
  readonly kind: 'deployment' | 'reference';
  readonly version?: string;
  /** The target file, relative to the working folder. */
  readonly file?: string;
  readonly isWorldLoaded: boolean;
  readonly transport?: TransportIdentity;
}

/** Reads all that a run knows of its target. @param use `offline`, no variable is needed @throws UnusableInput */
export function loadTarget(options: RunOptions, environment: Environment, use: 'online' | 'offline' = 'online') {
  const file = readTargetFile(options);
  const { connection, problems, notes } = readConnection(options, environment, file);
  if (problems.length > 0 && use === 'online') throw new UnusableInput(problems);
  const { endpoint } = connection;
  const { name, version, world, response = {} }: Partial<TargetDocument> = file?.document ?? {};
  const target: Target = {
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
  };
  return { file, target, connection, availability: readAvailability(file, options.data), notes };
}

function identifyTransport(file: TargetFile): TransportIdentity | undefined {
  const { transport } = file.document;
  if (transport === undefined) return undefined;
  const content = readBeside(file, transport, ['transport']);
  return { name: transport.replace(/^\.\//, ''), digest: computeDigest(Buffer.from(content)) };
}
