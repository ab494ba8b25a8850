import { readFileSync } from 'node:fs';
import path from 'node:path';
import { UnusableInput } from '../support/problem.js';
import { checkedValue, schemaNamed } from '../support/schema.js';
import { type Path, readYaml, type YamlFile } from '../support/yaml-file.js';
import type { Binding, Holding } from '../world/bindings.js';
import { lists } from '../world/bindings.js';
import type { Rule } from '../world/world.js';
import { type Kind, kinds } from '../world/world-file.js';

/** The settings of the environment; a value set on the command line has replaced the variable. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A target file as it is written. See `schemas/target.schema.json`. */
export interface TargetDocument {
  name: string;
  version?: string;
  contact?: string;
  base_url?: string;
  credentials?: { application_id?: string; token?: string };
  ids?: BindingsDocument;
  bindings?: string;
  capabilities?: Rule['kind'][];
  provision?: string[];
  response?: { tier?: string | string[]; schema?: string };
  pins?: Record<string, string>;
  operation?: { method?: string; path?: string };
  headers?: Record<string, string>;
  proxy?: string;
  pacing?: { requests_per_second?: number; concurrency?: number };
  limits?: { timeout_ms?: number; body_bytes?: number; body_values?: number; header_bytes?: number };
  repeats?: { waits_seconds?: number[]; longest_wait_seconds?: number };
  budget?: { requests?: number; seconds?: number };
  tls?: { ca?: string; cert?: string; key?: string };
  allow_http?: boolean;
}

/** Ids by kind and name. See `schemas/bindings.schema.json`. */
export type BindingsDocument = { [List in (typeof lists)[Kind]]?: Record<string, string | number> };

export interface TargetFile {
  readonly yaml: YamlFile;
  readonly document: TargetDocument;
}

/** The target file that the environment names by TARGET, if it does. @throws UnusableInput with all its problems */
export function targetFileOf({ TARGET }: Environment): TargetFile | undefined {
  if (!TARGET) return undefined;
  // The schema of target files refers to that of bindings.
  schemaNamed('bindings');
  const yaml = readYaml(TARGET, TARGET);
  return { yaml, document: checkedValue('target', yaml) as TargetDocument };
}

/** The path of a file that a target file names. */
export function besideTarget({ yaml }: TargetFile, name: string): string {
  return path.resolve(path.dirname(yaml.file), name);
}

/** Reads a file that a target file names. @throws UnusableInput at the place where it is named */
export function readBeside(target: TargetFile, name: string, at: Path): string {
  try {
    return readFileSync(besideTarget(target, name), 'utf8');
  } catch (error) {
    const message = `${name} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`;
    throw new UnusableInput([{ at: target.yaml.at(at), message, hint: 'Paths are relative to the target file.' }]);
  }
}

/** What the deployment under test holds of the world, and the files that say so. */
export function holdingOf(environment: Environment): { holding: Holding; files: string[] } {
  const target = targetFileOf(environment);
  if (target === undefined) return { holding: {}, files: [] };
  const { ids, bindings, capabilities } = target.document;
  const bound = bindings === undefined ? undefined : besideTarget(target, bindings);
  return {
    holding: {
      ...(ids === undefined ? {} : { bindings: bindingsIn(ids, target.yaml, ['ids']) }),
      ...(bindings === undefined ? {} : { bindings: readBindings(target, bindings) }),
      ...(capabilities === undefined ? {} : { capabilities: new Set(capabilities) }),
    },
    files: [target.yaml.file, ...(bound === undefined ? [] : [bound])],
  };
}

function readBindings(target: TargetFile, name: string): NonNullable<Holding['bindings']> {
  const file = besideTarget(target, name);
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
    throw new UnusableInput([{ at: target.yaml.at(['bindings']), message: `${name} cannot be read`, hint }]);
  }
  return bindingsIn(checkedValue('bindings', yaml) as BindingsDocument, yaml);
}

/** @param under where the document stands in the file */
function bindingsIn(document: BindingsDocument, yaml: YamlFile, under: Path = []): NonNullable<Holding['bindings']> {
  const byKind = kinds.map((kind) => {
    const list = lists[kind];
    const entries = Object.keys(document[list] ?? {}).map((name): [string, Binding] => {
      const steps = [...under, list, name];
      return [name, { id: yaml.sourceAt(steps), at: yaml.at(steps) }];
    });
    return [kind, new Map(entries)];
  });
  return Object.fromEntries(byKind) as Record<Kind, Map<string, Binding>>;
}
