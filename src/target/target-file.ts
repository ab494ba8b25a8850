import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Availability } from '../contract/bind-world.js';
import type { PartialConnectionOptions } from '../http/connection-options.js';
import { omitUndefined } from '../support/collections.js';
import { readInputFile, refuse } from '../support/problem.js';
import { validateFile } from '../support/schema-validation.js';
import { readYaml, type YamlFile, type YamlPath } from '../support/yaml-file.js';
import type { RunOptions } from './run-options.js';

/** The target file that `init` writes into a project. */
export const initialTargetFile = 'conformance/target.yaml';

/** The content of a target file; see `schemas/target.schema.json`. */
export interface TargetDocument extends Pick<PartialConnectionOptions, 'limits' | 'pacing' | 'retry'> {
  name: string;
  version?: string;
  base_url?: string;
  credentials?: { application_id?: string; token?: string };
  bindings?: string;
  cases?: string;
  known?: string;
  data?: string;
  requests?: number;
  intrusive?: boolean;
  response?: { tier?: string | string[]; where?: Record<string, unknown> };
  pins?: Record<string, string>;
  record?: string;
  transport?: string;
  headers?: Record<string, string>;
  proxy?: string;
  tls?: { ca?: string; cert?: string; key?: string };
  allow_http?: boolean;
  world?: 'loaded';
  own_promotions?: number | (string | number)[];
}

export interface TargetFile {
  readonly yaml: YamlFile;
  readonly document: TargetDocument;
}

/** Reads the target file that the options name, if any. @throws UnusableInput with all its problems */
export function readTargetFile({ target, reference }: RunOptions): TargetFile | undefined {
  if (!target || reference) return undefined;
  const yaml = readYaml(target, target);
  return { yaml, document: validateFile('target', yaml) as TargetDocument };
}

export function resolveBeside({ yaml }: TargetFile, name: string): string {
  return path.resolve(path.dirname(yaml.file), name);
}

/** Reads a file that a target file names. @throws UnusableInput with the location of the name */
export function readBeside(target: TargetFile, name: string, at: YamlPath): string {
  const file = resolveBeside(target, name);
  const place = { at: target.yaml.locate(at), name };
  return readInputFile(file, 'Paths are relative to the target file.', place).toString('utf8');
}

/** Resolves a path that a target file may name, relative to the working folder. */
export function locateBeside(target: TargetFile | undefined, name: string | undefined): string | undefined {
  return target && name && path.relative('', resolveBeside(target, name));
}

/** Reads which test data a target has: all, a part, or data of its own. @param named the data file of a flag */
export function readAvailability(target: TargetFile | undefined, named?: string): Availability {
  const { bindings, own_promotions: counted, data: stated, requests }: Partial<TargetDocument> = target?.document ?? {};
  const data = named ?? locateBeside(target, stated);
  if (data !== undefined && bindings !== undefined)
    throw refuse(named ?? 'data', 'has the ids of the deployment itself', "Remove 'bindings' from the target file.");
  return omitUndefined({
    bindings: target && bindings && readBindings(target, bindings),
    ownPromotions: Array.isArray(counted) ? counted.length : counted,
    data: data === undefined ? undefined : { file: data, ...omitUndefined({ requests }) },
  }) as Availability;
}

function readBindings(target: TargetFile, name: string): NonNullable<Availability['bindings']> {
  const file = resolveBeside(target, name);
  if (!existsSync(file)) {
    const hint = "Load the world and write the deployment's ids into this file: see docs/targets.md.";
    throw refuse(target.yaml.locate(['bindings']), `there is no file '${name}'`, hint);
  }
  const yaml = readYaml(file);
  const worldIds = Object.keys(validateFile('bindings', yaml) as object);
  return Object.fromEntries(worldIds.map((id) => [id, { id: yaml.getSource([id]), at: yaml.locate([id]) }]));
}
