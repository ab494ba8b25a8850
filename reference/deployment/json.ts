import { type Node, parseTree } from 'jsonc-parser';

/** A JSON object with unchecked members. */
export type Members = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Parses JSON in which a member may occur twice. `JSON.parse` silently takes the last one.
 *
 * @param text valid JSON
 * @param onDuplicate called for every later member of a name that its object has already; it may throw
 * @returns the value; of equal members, the first counts
 */
export function parseFirstWins(text: string, onDuplicate: (name: string) => void): unknown {
  const parsed = ({ type, value, children = [] }: Node): unknown => {
    if (type === 'array') return children.map(parsed);
    if (type !== 'object') return value;
    const members = new Map<string, unknown>();
    for (const pair of children) {
      const [{ value: name }, node] = pair.children as [Node, Node];
      const member = parsed(node);
      if (members.has(name)) onDuplicate(name);
      else members.set(name, member);
    }
    return Object.fromEntries(members);
  };
  return parsed(parseTree(text) as Node);
}
