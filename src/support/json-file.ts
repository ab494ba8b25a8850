import { createRequire } from 'node:module';
import type { Node } from 'jsonc-parser';
import { computeOnce } from './compute-once.js';
import { parseJson } from './json.js';
import type { Location } from './problem.js';
import { parseYaml, type YamlFile, type YamlPath } from './yaml-file.js';

const require = createRequire(import.meta.url);

/** A parsed file with the location of each value. */
export type LocatedFile = Pick<YamlFile, 'file' | 'value' | 'locate' | 'locateKey'>;

/** Parses JSON, or any other text as YAML. JSON, which may be large, is searched for locations only if there is a problem. */
export function parseJsonOrYaml(text: string, file: string): LocatedFile {
  const value = parseJson(text);
  if (value === undefined) return parseYaml(text, file);
  const parse = computeOnce(() => {
    const parser: typeof import('jsonc-parser') = require('jsonc-parser');
    return { parser, root: parser.parseTree(text.replace('\uFEFF', ' ')) as Node };
  });
  /** Finds the node at a path, or else the nearest node around it. An index may be a text of a JSON Pointer. */
  const find = (steps: YamlPath): Node => {
    const { parser, root } = parse();
    const segments = steps.map((step) => (/^\d+$/.test(String(step)) ? Number(step) : step));
    return parser.findNodeAtLocation(root, segments) ?? find(steps.slice(0, -1));
  };
  const locate = ({ offset }: Node): Location => {
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
  };
}
