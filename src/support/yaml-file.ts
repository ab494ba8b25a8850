import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Document, Node, ParsedNode } from 'yaml';
import { type Location, type Problem, UnusableInput } from './problem.js';
import { requireLazily } from './require-lazily.js';

/** The package itself, for those who write YAML. */
export const loadYaml = requireLazily<typeof import('yaml')>('yaml');

/** Steps from the root of a document to a value in it: keys of mappings and indices of sequences. */
export type YamlPath = readonly (string | number)[];

/** A parsed YAML file that still knows where each of its values stands. */
export interface YamlFile {
  readonly file: string;
  readonly value: unknown;
  /** Where the value at a path stands; where it does not exist, the nearest value around it. */
  locate(path: YamlPath): Location;
  /** The scalar at a path as it is written: `0012` rather than 12. */
  getSource(path: YamlPath): string;
  /** Where the key of the entry at a path stands. */
  locateKey(path: YamlPath): Location;
  /** Where every text that holds this one begins. */
  locateTexts(text: string): Location[];
}

/**
 * Reads a YAML 1.2 file.
 *
 * @param file path of the file
 * @param shown how messages name it; relative to the current folder unless given
 * @throws UnusableInput when it cannot be read or is no YAML; duplicate keys count as such
 */
export function readYaml(file: string, shown = path.relative(process.cwd(), file) || file): YamlFile {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UnusableInput([
      {
        at: { file: shown, line: 1, column: 1 },
        message: `cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`,
        hint: 'Check the path.',
      },
    ]);
  }
  return parseYaml(text, shown);
}

/**
 * Parses YAML 1.2 text.
 *
 * @param file how messages name it
 * @throws UnusableInput with one problem per syntax error
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
    throw new UnusableInput(
      document.errors.map(
        (error): Problem => ({ at: locate(error.pos[0]), message: `is no valid YAML: ${error.message}` }),
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
    const places: Location[] = [];
    visit(document, {
      Scalar: (_, { value, range }) => {
        if (String(value).includes(text)) places.push(locate(range?.[0] ?? 0));
      },
    });
    return places;
  };

  return {
    file,
    value: valueIn(document, locate),
    locate: (steps) => at(steps, false),
    getSource: sourceAt,
    locateKey: (steps) => at(steps, true),
    locateTexts: textsWith,
  };
}

/** Aliases are followed here and not before: some lead nowhere, or to aliases of aliases without end. */
function valueIn(document: Document, locate: (offset: number) => Location): unknown {
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
    throw new UnusableInput([{ at: locate(at), message: `is no valid YAML: ${(error as Error).message}` }]);
  }
}
