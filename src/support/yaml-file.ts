import path from 'node:path';
import type { Document, Node, ParsedNode, YAMLError } from 'yaml';
import { readForeignFile } from './foreign-file.js';
import { type Location, type Problem, UnusableInput } from './problem.js';
import { requireLazily } from './require-lazily.js';

/** Loads the package `yaml`. */
export const loadYaml = requireLazily<typeof import('yaml')>('yaml');

/** Steps from the root of a document to a value in it: keys of mappings and indices of sequences. */
export type YamlPath = readonly (string | number)[];

/** A parsed YAML file with the location of each value. */
export interface YamlFile {
  readonly file: string;
  readonly value: unknown;
  /** The location of the value at a path, or else of the nearest value around it. */
  locate(path: YamlPath): Location;
  /** The source text of the scalar at a path: `0012` rather than 12. */
  getSource(path: YamlPath): string;
  /** The location of the key of the entry at a path. */
  locateKey(path: YamlPath): Location;
  /** The locations of all scalars that contain a text. */
  locateTexts(text: string): Location[];
}

/**
 * Reads a YAML 1.2 file.
 *
 * @param file path of the file
 * @param shown its name in messages; by default its path relative to the current folder
 * @throws UnusableInput if it cannot be read or is not valid YAML; a duplicate key is not valid
 */
export function readYaml(file: string, shown = path.relative(process.cwd(), file) || file): YamlFile {
  const at = { file: shown, line: 1, column: 1 };
  return parseYaml(readForeignFile(file, 'Check the path.', { at }).toString('utf8'), shown);
}

/**
 * Parses YAML 1.2 text.
 *
 * @param file its name in messages
 * @throws UnusableInput with one problem for each place that has syntax errors
 */
export function parseYaml(text: string, file: string): YamlFile {
  const { isAlias, isCollection, isMap, isScalar, LineCounter, parseDocument, visit } = loadYaml();
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const locate = (offset: number): Location => {
    const { line, col } = lines.linePos(offset);
    return { file, line, column: col };
  };
  if (document.errors.length > 0) {
    const isFirst = ({ pos: [start] }: YAMLError, n: number) =>
      document.errors.findIndex(({ pos: [other] }) => other === start) === n;
    throw new UnusableInput(
      document.errors.filter(isFirst).map(
        ({ pos: [start], code, message }): Problem => ({
          at: locate(start),
          message: `is not valid YAML: ${message}`,
          ...(/INDENT|IMPLICIT_KEY/.test(code) ? { hint: 'Check the indentation here and in the line below.' } : {}),
        }),
      ),
    );
  }

  const resolve = (node: Node | null): Node | undefined =>
    (isAlias(node) ? node.resolve(document) : node) as Node | undefined;

  const found = (steps: YamlPath, wantKey: boolean): Node | undefined => {
    let node: Node | undefined = (document.contents as ParsedNode | null) ?? undefined;
    let nearest = node;
    let key: Node | undefined;
    for (const step of steps) {
      node = node && resolve(node);
      if (isMap(node)) {
        const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(step));
        key = pair?.key as Node | undefined;
        node = (pair?.value as Node | null | undefined) ?? key;
      } else if (isCollection(node)) {
        key = undefined;
        node = node.get(step, true) as Node | undefined;
      } else {
        node = undefined;
      }
      if (node === undefined) break;
      nearest = node;
    }
    return wantKey && node !== undefined ? (key ?? nearest) : nearest;
  };
  const at = (steps: YamlPath, wantKey: boolean): Location => locate(found(steps, wantKey)?.range?.[0] ?? 0);
  const sourceAt = (steps: YamlPath): string => {
    const node = resolve(found(steps, false) ?? null);
    return isScalar(node) ? (node.source ?? String(node.value)) : '';
  };

  const textsWith = (text: string): Location[] => {
    const locations: Location[] = [];
    visit(document, {
      Scalar: (_, { value, range }) => {
        if (String(value).includes(text)) locations.push(locate(range?.[0] ?? 0));
      },
    });
    return locations;
  };

  return {
    file,
    value: readValue(document, locate),
    locate: (steps) => at(steps, false),
    getSource: sourceAt,
    locateKey: (steps) => at(steps, true),
    locateTexts: textsWith,
  };
}

/** Resolves aliases. Fails for an alias without an anchor, and for aliases that expand without end. */
function readValue(document: Document, locate: (offset: number) => Location): unknown {
  try {
    return document.toJS();
  } catch (error) {
    const { visit } = loadYaml();
    let at = 0;
    visit(document, {
      Alias: (_, alias) => {
        if (alias.resolve(document) !== undefined) return undefined;
        at = alias.range?.[0] ?? 0;
        return visit.BREAK;
      },
    });
    throw new UnusableInput([{ at: locate(at), message: `is not valid YAML: ${(error as Error).message}` }]);
  }
}
