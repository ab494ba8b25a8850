import { UnusableInput } from '../support/problem.js';
import { validateFile } from '../support/schema-validation.js';
import { readYaml, type YamlFile, type YamlPath } from '../support/yaml-file.js';
import type { Availability, Binding } from '../world/bind-world.js';
import { listNames, type ThingKind, thingKinds } from '../world/named-world.js';
import type { RunOptions } from './run-options.js';
import { type BindingsDocument, readTargetFile, resolveBeside, type TargetFile } from './target-file.js';

type Bindings = NonNullable<Availability['bindings']>;

/**
 * What the deployment under test has of the world, as its target file states it: everything, where there is none.
 *
 * @returns with the files that say so
 * @throws UnusableInput with all that is wrong with the target file, or with its bindings
 */
export function readAvailability(options: RunOptions): { availability: Availability; files: string[] } {
  const target = readTargetFile(options);
  if (target === undefined) return { availability: {}, files: [] };
  const { ids, bindings, capabilities } = target.document;
  return {
    availability: {
      ...(ids === undefined ? {} : { bindings: bindingsIn(ids, target.yaml, ['ids']) }),
      ...(bindings === undefined ? {} : { bindings: readBindings(target, bindings) }),
      ...(capabilities === undefined ? {} : { capabilities: new Set(capabilities) }),
    },
    files: [target.yaml.file, ...(bindings === undefined ? [] : [resolveBeside(target, bindings)])],
  };
}

function readBindings(target: TargetFile, name: string): Bindings {
  const file = resolveBeside(target, name);
  let yaml: YamlFile;
  try {
    yaml = readYaml(file);
  } catch (error) {
    const isUnread = error instanceof UnusableInput && error.problems[0]?.message.startsWith('cannot be read');
    if (!isUnread) throw error;
    const hint =
      target.document.provision === undefined
        ? 'Write it: ids by kind and name, as under ids.'
        : `Write it with: npx conformance provision --target ${target.yaml.file}`;
    throw new UnusableInput([{ at: target.yaml.locate(['bindings']), message: `${name} cannot be read`, hint }]);
  }
  return bindingsIn(validateFile('bindings', yaml) as BindingsDocument, yaml);
}

/** @param under where the document stands in the file */
function bindingsIn(document: BindingsDocument, yaml: YamlFile, under: YamlPath = []): Bindings {
  const byKind = thingKinds.map((kind) => {
    const list = listNames[kind];
    const entries = Object.keys(document[list] ?? {}).map((name): [string, Binding] => {
      const steps = [...under, list, name];
      return [name, { id: yaml.getSource(steps), at: yaml.locate(steps) }];
    });
    return [kind, new Map(entries)];
  });
  return Object.fromEntries(byKind) as Record<ThingKind, Map<string, Binding>>;
}
