import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Availability } from '../contract/bind-world.js';
import { omitUndefined } from '../support/omit-undefined.js';
import { refuse } from '../support/problem.js';
import { validateFile } from '../support/schema-validation.js';
import { readYaml } from '../support/yaml-file.js';
import type { RunOptions } from './run-options.js';
import { readTargetFile, resolveBeside, type TargetFile } from './target-file.js';

/**
 * Reads which test data the target has: everything, unless its target file restricts it.
 *
 * @returns with the files that were read
 * @throws UnusableInput with all problems of the target file or of its bindings
 */
export function readAvailability(options: RunOptions): { availability: Availability; files: string[] } {
  const target = readTargetFile(options);
  if (target === undefined) return { availability: {}, files: [] };
  const { bindings, capabilities, transport, own_promotions: own } = target.document;
  const named = [bindings, transport].filter((name) => name !== undefined);
  return {
    availability: omitUndefined({
      bindings: bindings === undefined ? undefined : readBindings(target, bindings),
      capabilities: capabilities && new Set(capabilities),
      ownPromotions: Array.isArray(own) ? own.length : own,
    }),
    files: [target.yaml.file, ...named.map((name) => resolveBeside(target, name))],
  };
}

/** The folder of own cases that the target file names, relative to the working folder. */
export function readOwnCasesFolder(options: RunOptions): string | undefined {
  const target = readTargetFile(options);
  const { cases } = target?.document ?? {};
  return target === undefined || cases === undefined ? undefined : path.relative('', resolveBeside(target, cases));
}

function readBindings(target: TargetFile, name: string): NonNullable<Availability['bindings']> {
  const file = resolveBeside(target, name);
  if (!existsSync(file)) {
    const hint = "Load the world and write the deployment's ids into this file: see docs/targets.md.";
    throw refuse(target.yaml.locate(['bindings']), `there is no file '${name}'`, hint);
  }
  const yaml = readYaml(file);
  const worldIds = Object.keys(validateFile('bindings', yaml) as object);
  return new Map(worldIds.map((id) => [id, { id: yaml.getSource([id]), at: yaml.locate([id]) }]));
}
