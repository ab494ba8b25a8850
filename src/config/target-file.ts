import path from 'node:path';
import type { WorldAvailability } from '../contract/world-file.js';
import type { PartialConnectionOptions } from '../http/connection-options.js';
import { renderPath } from '../support/paths.js';
import { createInputError, type Location } from '../support/problem.js';
import { validateFile } from '../support/schema-validation.js';
import { readTextFile } from '../support/text-file.js';
import { parseYaml, readYaml, type YamlFile, type YamlPath } from '../support/yaml-file.js';
import type { RunOptions } from './run-options.js';

/** The target file that `init` writes into a project. */
export const initialTargetFilePath = 'conformance/target.yaml';

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
  narrowing?: boolean;
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
  not_applicable?: { requirement: string; reason: string }[] | null;
}

export type TargetFile = ReturnType<typeof readTargetFile>;

/** Reads the target file that the options name; it is empty if they name none. @throws UnusableInput with all its problems */
export function readTargetFile({ target, reference }: RunOptions) {
  const yaml = target && !reference ? readYaml(target, target) : undefined;
  const document: Partial<TargetDocument> =
    yaml === undefined ? {} : keepDigits(validateFile('target', yaml) as TargetDocument, yaml);
  const { file } = yaml ?? {};
  const locate = (...steps: readonly string[]): Location =>
    yaml?.locate(steps) ?? { file: 'target file', line: 1, column: 1 };
  /** Resolves a path that the file may name, relative to the working folder. */
  const resolve = <Name extends string | undefined>(name: Name) =>
    (name && renderPath(path.resolve(path.dirname(file ?? ''), name))) as Name;
  return {
    document,
    file,
    locate,
    locateKey: (...steps: readonly string[]): Location => yaml?.locateKey(steps) ?? locate(),
    resolve,
    /** Reads a file that this one names. @throws UnusableInput with the location of the name */
    readBeside(name: string, ...steps: readonly string[]): string {
      const place = { at: locate(...steps), name };
      return readTextFile(resolve(name), 'Paths are relative to the target file.', place);
    },
  };
}

/** Replaces the numbers beside promotions by their texts: a response may have more digits than JavaScript keeps. */
function keepDigits(document: TargetDocument, { getSource }: YamlFile): TargetDocument {
  const { response } = document;
  if (response?.where === undefined) return document;
  const keep = (value: unknown, ...steps: YamlPath) =>
    typeof value === 'number' ? getSource(['response', 'where', ...steps]) : value;
  const where = Object.entries(response.where).map(([name, value]) => {
    return [name, Array.isArray(value) ? value.map((member, n) => keep(member, name, n)) : keep(value, name)];
  });
  return { ...document, response: { ...response, where: Object.fromEntries(where) } };
}

/** Reads which test data a target has: all, a part, or data of its own. @param named the data file of a flag */
export function readWorldAvailability(
  { document, resolve, readBeside }: TargetFile,
  named?: string,
): WorldAvailability {
  const { bindings, own_promotions: counted, data: stated, requests } = document;
  const file = named ?? resolve(stated);
  if (file !== undefined && bindings !== undefined)
    throw createInputError(
      named ?? 'data',
      'has the ids of the deployment itself',
      "Remove 'bindings' from the target file.",
    );
  return {
    bindings: bindings && readBindings(readBeside(bindings, 'bindings'), resolve(bindings)),
    ownPromotions: Array.isArray(counted) ? counted.length : counted,
    data: file === undefined ? undefined : { file, requests },
  } as WorldAvailability;
}

function readBindings(text: string, file: string): NonNullable<WorldAvailability['bindings']> {
  const yaml = parseYaml(text, file);
  const worldIds = Object.keys(validateFile('bindings', yaml) as object);
  return Object.fromEntries(worldIds.map((id) => [id, { id: yaml.getSource([id]), at: yaml.locate([id]) }]));
}
