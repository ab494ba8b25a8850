import { createRequire } from 'node:module';
import path from 'node:path';
import type { Node, ParseError } from 'jsonc-parser';
import { computeOnce } from './compute-once.js';
import { type Location, refuse } from './problem.js';
import { parseYaml, type YamlFile, type YamlPath } from './yaml-file.js';

const require = createRequire(import.meta.url);

/** Loaded only to find the place of a problem. */
function loadParser(): typeof import('jsonc-parser') {
  return require('jsonc-parser');
}

/** A parsed file with the location of each value. */
export type LocatedFile = Pick<YamlFile, 'file' | 'value' | 'locate' | 'locateKey'>;

/**
 * Parses JSON, or YAML if the name of the file says so. Large files are JSON: they are searched for locations only if
 * there is a problem.
 *
 * @param file its name in messages
 * @throws UnusableInput with the first syntax error
 */
export function parseJsonOrYaml(text: string, file: string): LocatedFile {
  const json = text.startsWith('\uFEFF') ? text.slice(1) : text;
  const isYaml = /^\.ya?ml$/i.test(path.extname(file)) && !/^\s*\{/.test(json);
  if (isYaml) return parseYaml(text, file);
  const errors: ParseError[] = [];
  const parse = computeOnce(() => loadParser().parseTree(json, errors));
  const locateOffset = (offset: number): Location => {
    const before = json.slice(0, offset);
    return { file, line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
  };
  /** Finds the node at a path, or else the nearest node around it. */
  const find = (steps: YamlPath): Node | undefined => {
    const root = parse();
    const found = root && loadParser().findNodeAtLocation(root, [...steps].map(toSegment));
    return found ?? (steps.length === 0 ? root : find(steps.slice(0, -1)));
  };
  try {
    return {
      file,
      value: JSON.parse(json),
      locate: (steps) => locateOffset(find(steps)?.offset ?? 0),
      locateKey: (steps) => {
        const node = find(steps);
        return locateOffset((node?.parent?.type === 'property' ? node.parent : node)?.offset ?? 0);
      },
    };
  } catch {
    parse();
    const [error] = errors;
    const message = `is not valid JSON: ${error === undefined ? 'unexpected text' : loadParser().printParseErrorCode(error.error)}`;
    throw refuse(locateOffset(error?.offset ?? 0), message, 'A data file is JSON, or YAML if its name ends in .yaml.');
  }
}

/** An index of a list comes as a text from a JSON Pointer. */
function toSegment(step: string | number): string | number {
  return /^(0|[1-9]\d*)$/.test(String(step)) ? Number(step) : step;
}
