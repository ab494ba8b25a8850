import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import type { Suite } from '../../src/cases/suite.js';
import { getSubjectId } from '../../src/cases/test-case.js';
import { packageRoot } from '../../src/support/package-root.js';

/**
 * The committed snapshot of all ids that users may have in their own files: records, certificates, target files,
 * bindings, pipelines. The kill matrix has the ids of the faults.
 */
export const idsFile = path.join(packageRoot, 'specs', 'update', 'ids.txt');

/** Renders the snapshot: a list for each requirement, each question and each kind of thing in the world. */
export function renderIds({ contract, cases, world }: Suite): string {
  const lists: [string, string[]][] = [
    ...contract.requirements.map(({ id }): [string, string[]] => [
      `requirement ${id}`,
      cases.filter((testCase) => getSubjectId(testCase) === id).map((testCase) => testCase.id),
    ]),
    ...contract.questions.map(({ id, answer }): [string, string[]] => [
      `question ${id}`,
      answer.kind === 'value' ? [] : [...answer.outcomes.keys()],
    ]),
    // The beginning of an id is enough to notice a change.
    ...Object.entries(world.ids).map(([kind, ids]): [string, string[]] => [
      kind,
      [...ids].map(([name, id]) => `${name}=${id.replace(/^[a-z]+_/, '').slice(0, 6)}`),
    ]),
  ];
  const lines = lists.flatMap(([name, ids]) => wrap(`${name}:`, ids));
  return ['# All ids. `npm run update` writes this file.', ...lines, ''].join('\n');
}

/** Wraps a list at 120 columns. */
function wrap(head: string, words: readonly string[]): string[] {
  const lines = [head];
  for (const word of words) {
    const line = `${lines.at(-1)} ${word}`;
    if (line.length <= 120) lines[lines.length - 1] = line;
    else lines.push(`  ${word}`);
  }
  return lines;
}

/** Lists the ids of a snapshot, each with the name of its list. The prefix of an id in the world is a part of it. */
export function listIds(snapshot: string): string[] {
  const lists = snapshot
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll('\n  ', ' ')
    .trimEnd()
    .split('\n');
  return lists.flatMap((list) => {
    const [name = '', ids = ''] = list.split(':');
    return [
      name,
      ...ids
        .split(' ')
        .filter((id) => id !== '')
        .map((id) => `${name}: ${id}`),
    ];
  });
}

/** Ids of earlier releases that must not be used again. This list is written by hand. */
export function readRetiredIds(): string[] {
  const file = path.join(packageRoot, 'specs', 'update', 'retired-ids.yaml');
  return (parse(readFileSync(file, 'utf8')) as { retired: string[] }).retired;
}
