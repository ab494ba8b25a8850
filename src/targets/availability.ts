import { existsSync } from 'node:fs';
import { quote } from 'shlex';
import { omitUndefined } from '../support/omit-undefined.js';
import { refuse } from '../support/problem.js';
import { validateFile } from '../support/schema-validation.js';
import { readYaml, type YamlFile, type YamlPath } from '../support/yaml-file.js';
import type { Availability, BoundId } from '../world/bind-world.js';
import { listNames, type ThingKind, thingKinds } from '../world/named-world.js';
import type { RunOptions } from './run-options.js';
import { type BindingsDocument, readTargetFile, resolveBeside, type TargetFile } from './target-file.js';

type Bindings = NonNullable<Availability['bindings']>;

/**
 * Reads which test data the target has: everything, unless its target file restricts it.
 *
 * @returns with the files that were read
 * @throws UnusableInput with all problems of the target file or of its bindings
 */
export function readAvailability(options: RunOptions): { availability: Availability; files: string[] } {
  const target = readTargetFile(options);
  if (target === undefined) return { availability: {}, files: [] };
  const { ids, bindings, capabilities, adapter, own_promotions: own } = target.document;
  const named = [bindings, adapter].filter((name) => name !== undefined);
  return {
    availability: omitUndefined({
      bindings:
        bindings === undefined ? ids && createBindings(ids, target.yaml, ['ids']) : readBindings(target, bindings),
      capabilities: capabilities && new Set(capabilities),
      ownPromotions: Array.isArray(own) ? own.length : own,
    }),
    files: [target.yaml.file, ...named.map((name) => resolveBeside(target, name))],
  };
}

function readBindings(target: TargetFile, name: string): Bindings {
  const file = resolveBeside(target, name);
  if (!existsSync(file)) {
    const hint =
      target.document.provision === undefined
        ? "Create the file: ids by kind and name, as under 'ids'."
        : `Create it with: npx conformance provision --target ${quote(target.yaml.file)}`;
    throw refuse(target.yaml.locate(['bindings']), `there is no file '${name}'`, hint);
  }
  const yaml = readYaml(file);
  return createBindings(validateFile('bindings', yaml) as BindingsDocument, yaml);
}

/** @param under the path of the document in the file */
function createBindings(document: BindingsDocument, yaml: YamlFile, under: YamlPath = []): Bindings {
  const byKind = thingKinds.map((kind) => {
    const list = listNames[kind];
    const entries = Object.keys(document[list] ?? {}).map((name): [string, BoundId] => {
      const keys = [...under, list, name];
      return [name, { id: yaml.getSource(keys), at: yaml.locate(keys) }];
    });
    return [kind, new Map(entries)];
  });
  return Object.fromEntries(byKind) as Record<ThingKind, Map<string, BoundId>>;
}
