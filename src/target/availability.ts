import { existsSync } from 'node:fs';
import type { Availability } from '../contract/bind-world.js';
import { omitUndefined } from '../support/omit-undefined.js';
import { refuse } from '../support/problem.js';
import { validateFile } from '../support/schema-validation.js';
import { readYaml } from '../support/yaml-file.js';
import { resolveBeside, type TargetFile } from './target-file.js';

/**
 * Reads which test data a target has: everything, unless its target file restricts it.
 *
 * @throws UnusableInput with all problems of the bindings
 */
export function readAvailability(target: TargetFile | undefined): Availability {
  if (target === undefined) return {};
  const { bindings, own_promotions: counted } = target.document;
  return omitUndefined({
    bindings: bindings === undefined ? undefined : readBindings(target, bindings),
    ownPromotions: Array.isArray(counted) ? counted.length : counted,
  });
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
