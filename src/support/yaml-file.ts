import { createRequire } from 'node:module';
import path from 'node:path';
import type { Node as JsonNode } from 'jsonc-parser';
import type { CST, Document, LineCounter, Node, YAMLMap, YAMLParseError } from 'yaml';
import { computeOnce, remember } from './caches.js';
import { NumberText, parseExactly, parseJson, readNumber } from './json.js';
import { findExceededBound, isDeeperThan, maxLevels, tooDeep } from './json-bounds.js';
import { type Location, UnusableInput } from './problem.js';
import { readTextFile } from './text-file.js';

/** Steps from the root of a document to a value in it: keys of mappings and indices of sequences. */
export type YamlPath = readonly (string | number)[];

export type YamlFile = ReturnType<typeof parseYaml>;

/**
 * @param shown its name in messages; by default its path relative to the current folder
 * @throws UnusableInput if it cannot be read or is not valid YAML; a duplicate key is not valid
 */
export function readYaml(file: string, shown = path.relative(process.cwd(), file) || file): YamlFile {
  const at = { file: shown, line: 1, column: 1 };
  const text = readTextFile(file, 'Check the path.', { at });
  const earlier = parsedFiles.get(shown);
  if (earlier?.text === text) return earlier.parsed;
  const parsed = parseYaml(text, shown);
  parsedFiles.set(shown, { text, parsed });
  return parsed;
}

/** A process reads case files once for each set of bindings. Parsing them is half of the work. */
const parsedFiles = new Map<string, { readonly text: string; readonly parsed: YamlFile }>();

const require = createRequire(import.meta.url);

/** Parses YAML 1.2 text. @param file its name in messages @throws UnusableInput with the first syntax error */
export function parseYaml(text: string, file: string) {
  // Not loaded before: most runs use the suite that the build stored, and read no YAML.
  const yaml: typeof import('yaml') = require('yaml');
  const lines = new yaml.LineCounter();
  const locate = (offset = 0): Location => {
    const { line, col } = lines.linePos(offset);
    return { file, line, column: col };
  };
  const refuse = (message: string, offset?: number) => {
    const hint = 'Check the indentation and the quotation marks, here and in the line below.';
    return new UnusableInput([
      { at: locate(offset), message: `is not valid ${file.endsWith('.json') ? 'JSON' : 'YAML'}: ${message}`, hint },
    ]);
  };
  const tokens = parseTokens(yaml, text, lines);
  if (typeof tokens === 'string')
    throw new UnusableInput([{ at: locate(), message: `cannot be read: ${tokens}`, hint: 'Name a smaller file.' }]);
  // The parser would compare each key with all others.
  const composer = new yaml.Composer({ prettyErrors: false, uniqueKeys: false });
  const [document, second] = [...composer.compose(tokens, true, text.length)] as [
    Document.Parsed,
    ...Document.Parsed[],
  ];
  const [error = findDoubleKey(yaml, document)] = document.errors;
  if (error !== undefined) throw refuse(error.message, error.pos[0]);
  if (second !== undefined) throw refuse('it contains multiple documents', second.range[0]);

  /** Finds the node at a path, with its key, or else the nearest node around it. */
  const find = (steps: YamlPath): { node: Node | null; key?: Node } => {
    let found: { node: Node | null; key?: Node } = { node: document.contents };
    for (const step of steps) {
      const parent = yaml.isAlias(found.node) ? found.node.resolve(document) : found.node;
      if (!yaml.isCollection(parent)) return { node: found.node };
      const pair = yaml.isMap<Node, Node | null>(parent) ? indexPairs(parent).get(String(step)) : undefined;
      const item = yaml.isSeq<Node>(parent) ? parent.items[Number(step)] : undefined;
      if (pair === undefined && item === undefined) return { node: found.node };
      found = pair === undefined ? { node: item as Node } : { node: pair.value ?? pair.key, key: pair.key };
    }
    return found;
  };
  /** Resolves aliases. Fails for an alias without an anchor, and for aliases that expand without end. */
  const readValue = (): unknown => {
    try {
      return document.toJS();
    } catch (error) {
      throw refuse((error as Error).message);
    }
  };
  return {
    file,
    value: readValue(),
    /** The location of the value at a path, or else of the nearest value around it. */
    locate: (steps: YamlPath) => locate(find(steps).node?.range?.[0]),
    locateKey: (steps: YamlPath) => {
      const { key, node } = find(steps);
      return locate((key ?? node)?.range?.[0]);
    },
    /** The source text of the scalar at a path: `0012` rather than 12. */
    getSource: (steps: YamlPath) => {
      const { node } = find(steps);
      return yaml.isScalar(node) ? (node.source ?? String(node.value)) : '';
    },
    locateTexts: (wanted: string) => {
      const locations: Location[] = [];
      yaml.visit(document, {
        Scalar: (_, { value, range }) => {
          if (String(value).includes(wanted)) locations.push(locate(range?.[0]));
        },
      });
      return locations;
    },
  };
}

/** In lexemes: a key with its value has five, and takes some twenty microseconds. */
const maxLexemes = 1_000_000;

/** Parses the tokens of a text, with as few calls within calls as the text has levels. @returns or which bound it exceeds */
function parseTokens(yaml: typeof import('yaml'), text: string, lines: LineCounter): CST.Token[] | string {
  const parser = new yaml.Parser(lines.addNewLine);
  lines.addNewLine(0);
  const tokens: CST.Token[] = [];
  let count = 0;
  for (const lexeme of new yaml.Lexer().lex(text)) {
    count += 1;
    if (count > maxLexemes) return `it has more than ${maxLexemes} keys, values and marks`;
    tokens.push(...parser.next(lexeme));
  }
  tokens.push(...parser.end());
  // A level has a token, a list of items and an item.
  return isDeeperThan(tokens, 3 * maxLevels) ? tooDeep : tokens;
}

/** Indexes the entries of a mapping by their keys: to search each of them would take the square of their number. */
const indexPairs = remember(({ items }: YAMLMap<Node, Node | null>) => {
  const entries = items.flatMap((pair) => {
    const { key }: { key: Node | null } = pair;
    return key !== null && 'value' in key ? [[String(key.value), pair] as const] : [];
  });
  return new Map(entries);
});

function findDoubleKey(yaml: typeof import('yaml'), document: Document.Parsed): YAMLParseError | undefined {
  let found: YAMLParseError | undefined;
  yaml.visit(document, {
    Map(_, { items }) {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        if (!yaml.isScalar(key)) continue;
        if (seen.has(key.value)) {
          const [start = 0, end = 0] = key.range ?? [];
          found = new yaml.YAMLParseError([start, end], 'DUPLICATE_KEY', `Map keys must be unique: '${key.value}'`);
          return yaml.visit.BREAK;
        }
        seen.add(key.value);
      }
      return undefined;
    },
  });
  return found;
}

export type LocatedFile = Pick<YamlFile, 'file' | 'value' | 'locate' | 'locateKey'>;

export interface DataSource extends LocatedFile {
  /** The number at a path, with the digits that it has in the file; undefined if JSON cannot have it so. */
  readonly getNumber: (steps: YamlPath) => number | NumberText | undefined;
}

/** Parses JSON, or any other text as YAML. To read a large data file as YAML takes ten seconds and twice the memory. */
export function parseJsonOrYaml(text: string, file: string): DataSource {
  const value = findExceededBound(text) === undefined ? parseJson(text) : undefined;
  if (value === undefined) {
    const yaml = parseYaml(text, file);
    return { ...yaml, getNumber: (steps) => readNumber(yaml.getSource(steps)) };
  }
  const readExactly = computeOnce(() => parseExactly(text));
  const getNumber = (steps: YamlPath) => {
    const found = steps.reduce((parent, step) => (parent as Readonly<Record<string, unknown>>)[step], readExactly());
    return typeof found === 'number' || found instanceof NumberText ? found : undefined;
  };
  const read = computeOnce(() => {
    const parser: typeof import('jsonc-parser') = require('jsonc-parser');
    return { ...parser, root: parser.parseTree(text.replace('\uFEFF', ' ')) as JsonNode };
  });
  /** Finds the node at a path, or else the nearest node around it. An index may be a text of a JSON Pointer. */
  const find = (steps: YamlPath): JsonNode => {
    const { root, findNodeAtLocation } = read();
    const segments = steps.map((step) => (/^\d+$/.test(String(step)) ? Number(step) : step));
    return findNodeAtLocation(root, segments) ?? find(steps.slice(0, -1));
  };
  const locate = ({ offset }: JsonNode): Location => {
    const before = text.slice(0, offset);
    return { file, line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
  };
  const locateKey = (steps: YamlPath) => {
    const node = find(steps);
    return locate(node.parent?.type === 'property' ? node.parent : node);
  };
  return { file, value, locate: (steps) => locate(find(steps)), locateKey, getNumber };
}
