import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse, stringify } from 'yaml';
import { getSubjectId } from '../../src/cases/test-case.js';
import type { Suite } from '../../src/suite/suite.js';
import { packageRoot } from '../../src/support/package-root.js';

/**
 * The committed snapshot of all ids that users may have in their own files: records, certificates, target files,
 * bindings, pipelines. The kill matrix has the ids of the faults.
 */
export const idsFile = path.join(packageRoot, 'tools', 'update', 'ids.yaml');

/** Renders the snapshot: the ids of each requirement, each question and each kind of thing in the world. */
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
  const texts = Object.fromEntries(lists.map(([name, ids]) => [name, ids.join(' ')]));
  return `# All ids. \`npm run update\` writes this file.\n${stringify(texts, { lineWidth: 120 })}`;
}

/** Lists the ids of a snapshot, each with the name of its list. The prefix of an id in the world is a part of it. */
export function listIds(snapshot: string): string[] {
  const texts = parse(snapshot) as Record<string, string>;
  return Object.entries(texts).flatMap(([name, ids]) => [
    name,
    ...(ids === '' ? [] : ids.split(' ').map((id) => `${name}: ${id}`)),
  ]);
}

/** Ids of earlier releases that must not be used again. This list is written by hand. */
export function readRetiredIds(): string[] {
  const file = path.join(packageRoot, 'tools', 'update', 'retired-ids.yaml');
  return (parse(readFileSync(file, 'utf8')) as { retired: string[] }).retired;
}
