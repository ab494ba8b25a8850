/**
 * What all rooms need and none owns. Files and texts go in; values come out, each with its location, or problems with
 * file, line, column and hint. Here are YAML and JSON with locations, checks by schema, reasons as codes with data, and what
 * makes untrusted texts safe to print. It runs in every process: the command line, the workers of Playwright, its reporter,
 * and programs that use the package.
 */

import { findNodeAtLocation, type Node as JsonNode, parseTree } from 'jsonc-parser';
import {
  Composer,
  type CST,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  Parser,
  type Scalar,
  visit,
  type YAMLMap,
  YAMLParseError,
} from 'yaml';
import { cacheByObject, computeOnce } from './caches.js';
import { NumberText, parseJson, parseJsonExactly, readNumber } from './json.js';
import { findExceededJsonBound, isDeeperThan, maxJsonLevels, tooDeepMessage } from './json-bounds.js';
import { renderPath } from './paths.js';
import { type Location, UnusableInput } from './problem.js';
import { readTextFile } from './text-file.js';

/** Steps from the root of a document to a value in it: keys of mappings and indices of sequences. */
export type YamlPath = readonly (string | number)[];

/** A YAML file that was read: its value, and where in the text each part of it is. */
export interface YamlFile {
  /** Its name in messages. */
  readonly file: string;
  /** Its source. */
  readonly text: string;
  /** The value of the document, with resolved aliases. */
  readonly value: unknown;
  /** The location of the value at a path, or else of the nearest value around it. */
  readonly locate: (steps: YamlPath) => Location;
  /** The location of the key at a path; of the value itself where it has no key, as in a sequence. */
  readonly locateKey: (steps: YamlPath) => Location;
  /** The source text of the scalar at a path: `0012` rather than 12. Empty if there is no scalar. */
  readonly getSource: (steps: YamlPath) => string;
  /** The locations of all scalars whose text contains the wanted one. */
  readonly locateTexts: (wanted: string) => Location[];
}

/**
 * Reads a YAML file, or JSON, which is YAML, too. A file that was read before and has not changed is not parsed again.
 *
 * @param shown its name in messages; by default its path relative to the current folder
 * @throws UnusableInput if it cannot be read or is not valid YAML; a duplicate key is not valid
 */
export function readYaml(file: string, shown = renderPath(file)): YamlFile {
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

/** The text that is parsed, for messages about it. */
interface Source {
  readonly file: string;
  readonly lines: LineCounter;
}

/**
 * Parses YAML 1.2 text.
 *
 * @param file its name in messages
 * @throws UnusableInput with the first syntax error. A double key, a second document and aliases without end are errors, too
 */
export function parseYaml(text: string, file: string): YamlFile {
  const source: Source = { file, lines: new LineCounter() };
  const document = composeDocument(text, source);
  const locateNode = (node: Node | null | undefined) => locateOffset(source, node?.range?.[0]);
  return {
    file,
    text,
    value: resolveValue(document, source),
    locate: (steps) => locateNode(findNode(document, steps).node),
    locateKey: (steps) => {
      const { key, node } = findNode(document, steps);
      return locateNode(key ?? node);
    },
    getSource: (steps) => {
      const { node } = findNode(document, steps);
      return isScalar(node) ? (node.source ?? String(node.value)) : '';
    },
    locateTexts: (wanted) => {
      const locations: Location[] = [];
      visit(document, {
        Scalar: (_, scalar) => {
          if (String(scalar.value).includes(wanted)) locations.push(locateNode(scalar));
        },
      });
      return locations;
    },
  };
}

function locateOffset({ file, lines }: Source, offset = 0): Location {
  const { line, col } = lines.linePos(offset);
  return { file, line, column: col };
}

function createSyntaxError(source: Source, message: string, offset?: number): UnusableInput {
  const language = source.file.endsWith('.json') ? 'JSON' : 'YAML';
  const hint = 'Check the indentation and the quotation marks, here and in the line below.';
  return new UnusableInput([
    { at: locateOffset(source, offset), message: `is not valid ${language}: ${message}`, hint },
  ]);
}

/** Parses the only document of a text. @throws UnusableInput */
function composeDocument(text: string, source: Source): Document.Parsed {
  const tokens = parseTokens(text, source);
  // With `uniqueKeys`, the parser would compare each key with all others, so double keys are looked for below.
  const composer = new Composer({ prettyErrors: false, uniqueKeys: false });
  // Since `compose` is told to, it returns a document for an empty text, too.
  const [document, second] = [...composer.compose(tokens, true, text.length)] as [
    Document.Parsed,
    ...Document.Parsed[],
  ];
  const [error = findDoubleKey(document)] = document.errors;
  if (error !== undefined) throw createSyntaxError(source, error.message, error.pos[0]);
  if (second !== undefined) throw createSyntaxError(source, 'it contains multiple documents', second.range[0]);
  return document;
}

/** Resolves aliases. @throws UnusableInput for an alias without an anchor, and for aliases that expand without end */
function resolveValue(document: Document.Parsed, source: Source): unknown {
  try {
    return document.toJS();
  } catch (error) {
    throw createSyntaxError(source, (error as Error).message);
  }
}

interface FoundNode {
  readonly node: Node | null;
  /** The key of the node, if it is an entry of a mapping. */
  readonly key?: Node;
}

/** Finds the node at a path, with its key. Where the path leads to nothing, finds the nearest node around it, without its key. */
function findNode(document: Document.Parsed, steps: YamlPath): FoundNode {
  let found: FoundNode = { node: document.contents };
  for (const step of steps) {
    const parent = isAlias(found.node) ? found.node.resolve(document) : found.node;
    const child = findChild(parent, step);
    if (child === undefined) return { node: found.node };
    found = child;
  }
  return found;
}

/** Finds an entry of a mapping or a sequence; undefined if there is none, or if the parent is neither. */
function findChild(parent: unknown, step: YamlPath[number]): FoundNode | undefined {
  if (isMap<Node, Node | null>(parent)) {
    const pair = indexPairs(parent).get(String(step));
    return pair && { node: pair.value ?? pair.key, key: pair.key };
  }
  const item = isSeq<Node>(parent) ? parent.items[Number(step)] : undefined;
  return item === undefined ? undefined : { node: item };
}

/** In lexemes: a key with its value has five, and takes some twenty microseconds. */
const maxLexemes = 1_000_000;

/**
 * Parses the tokens of a text, with as few calls within calls as the text has levels.
 *
 * @throws UnusableInput if the text has more lexemes or levels than a file of a user needs
 */
function parseTokens(text: string, source: Source): CST.Token[] {
  const { lines } = source;
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  const tokens: CST.Token[] = [];
  let count = 0;
  for (const lexeme of new Lexer().lex(text)) {
    count += 1;
    if (count > maxLexemes) throw createSizeError(source, `it has more than ${maxLexemes} keys, values and marks`);
    tokens.push(...parser.next(lexeme));
  }
  tokens.push(...parser.end());
  // A level has a token, a list of items and an item.
  if (isDeeperThan(tokens, 3 * maxJsonLevels)) throw createSizeError(source, tooDeepMessage);
  return tokens;
}

function createSizeError(source: Source, reason: string): UnusableInput {
  const problem = { at: locateOffset(source), message: `cannot be read: ${reason}`, hint: 'Name a smaller file.' };
  return new UnusableInput([problem]);
}

/** Indexes the entries of a mapping by their keys: to search each of them would take the square of their number. */
const indexPairs = cacheByObject(({ items }: YAMLMap<Node, Node | null>) => {
  const entries = items.flatMap((pair) => {
    const { key }: { key: Node | null } = pair;
    return key !== null && 'value' in key ? [[String(key.value), pair] as const] : [];
  });
  return new Map(entries);
});

/** Finds the first key that a mapping has twice. Errors of the parser come first, so this looks at valid YAML only. */
function findDoubleKey(document: Document.Parsed): YAMLParseError | undefined {
  const found: YAMLParseError[] = [];
  visit(document, {
    Map(_, map) {
      const key = findRepeatedKey(map);
      if (key === undefined) return undefined;
      const [start = 0, end = 0] = key.range ?? [];
      found.push(new YAMLParseError([start, end], 'DUPLICATE_KEY', `Map keys must be unique: '${key.value}'`));
      return visit.BREAK;
    },
  });
  return found[0];
}

function findRepeatedKey({ items }: YAMLMap): Scalar | undefined {
  const seen = new Set<unknown>();
  for (const { key } of items) {
    if (!isScalar(key)) continue;
    if (seen.has(key.value)) return key;
    seen.add(key.value);
  }
  return undefined;
}

export type ParsedFile = Pick<YamlFile, 'file' | 'value' | 'locate' | 'locateKey'>;

export interface JsonOrYamlFile extends ParsedFile {
  /** The number at a path, with the digits that it has in the file; undefined if JSON cannot have it so. */
  readonly getNumber: (steps: YamlPath) => number | NumberText | undefined;
}

/**
 * Parses JSON, or any other text as YAML. To read a large data file as YAML takes ten seconds and twice the memory.
 *
 * @param file its name in messages
 * @throws UnusableInput with the first syntax error
 */
export function parseJsonOrYaml(text: string, file: string): JsonOrYamlFile {
  const value = findExceededJsonBound(text) === undefined ? parseJson(text) : undefined;
  if (value !== undefined) return createJsonSource(text, file, value);
  const yaml = parseYaml(text, file);
  return { ...yaml, getNumber: (steps) => readNumber(yaml.getSource(steps)) };
}

/** Most files have no problem and no long number, so positions and exact numbers are looked for when they are asked for. */
function createJsonSource(text: string, file: string, value: unknown): JsonOrYamlFile {
  const readExactly = computeOnce(() => parseJsonExactly(text));
  const find = createNodeFinder(text);
  const locate = ({ offset }: JsonNode): Location => {
    const before = text.slice(0, offset);
    return { file, line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
  };
  return {
    file,
    value,
    locate: (steps) => locate(find(steps)),
    locateKey: (steps) => {
      const node = find(steps);
      return locate(node.parent?.type === 'property' ? node.parent : node);
    },
    getNumber: (steps) => {
      const found = steps.reduce((parent, step) => (parent as Readonly<Record<string, unknown>>)[step], readExactly());
      return typeof found === 'number' || found instanceof NumberText ? found : undefined;
    },
  };
}

/** Finds the node at a path of JSON, or else the nearest node around it. An index may be a text of a JSON Pointer. */
function createNodeFinder(text: string): (steps: YamlPath) => JsonNode {
  // A byte order mark is no error in a file. In place of it, a space keeps all offsets.
  const parse = computeOnce(() => parseTree(text.replace('\uFEFF', ' ')) as JsonNode);
  const find = (steps: YamlPath): JsonNode => {
    const segments = steps.map((step) => (/^\d+$/.test(String(step)) ? Number(step) : step));
    return findNodeAtLocation(parse(), segments) ?? find(steps.slice(0, -1));
  };
  return find;
}
