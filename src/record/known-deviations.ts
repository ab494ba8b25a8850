import { isSeq, parseDocument, type YAMLSeq } from 'yaml';
import type { Contract } from '../contract/contract.js';
import { formatLocation, type Problem, UnusableInput } from '../support/problem.js';
import { validateFile } from '../support/schema-validation.js';
import { suggest } from '../support/suggest.js';
import { shorten, toOneLine } from '../support/untrusted-text.js';
import { readYaml } from '../support/yaml-file.js';

/** What is wrong with a target and accepted for now. The schema of its file is `schemas/known.schema.json`. */
export interface KnownDeviation {
  readonly requirement: string;
  /** The id of a cause. Without it, any failure of the requirement is known. */
  readonly cause?: string;
  readonly reason: string;
  readonly issue?: string;
  /** The last day on which it counts, such as 2027-03-31. */
  readonly until?: string;
}

/** An entry of a file of known deviations. */
export interface ListedDeviation extends KnownDeviation {
  /** Its place in the file. */
  readonly at: string;
  /** Whether its last day is over. */
  readonly isExpired?: true;
}

/** A file of known deviations. */
export interface KnownFile {
  readonly file: string;
  readonly entries: readonly ListedDeviation[];
}

/**
 * Reads a file of known deviations. Whether there are such causes is not checked.
 *
 * @throws UnusableInput with every other problem of the file
 */
export function readKnownDeviations(file: string, { requirements }: Pick<Contract, 'requirements'>): KnownFile {
  const ids = requirements.map(({ id }) => id);
  const today = new Date().toISOString().slice(0, 10);
  const yaml = readYaml(file, file);
  const { deviations: listed } = validateFile('known', yaml) as { deviations: KnownDeviation[] | null };
  const deviations = listed ?? [];
  const problems: Problem[] = [];
  const seen = new Set<string>();
  for (const [n, { requirement, cause }] of deviations.entries()) {
    const report = (message: string, hint: string) =>
      problems.push({ at: yaml.locate(['deviations', n, 'requirement']), message, hint });
    if (!ids.includes(requirement)) report(`unknown requirement '${requirement}'`, suggest(requirement, ids));
    const key = JSON.stringify([requirement, cause]);
    if (seen.has(key)) report(`'${requirement}' is listed twice`, 'Remove one of the entries.');
    seen.add(key);
  }
  if (problems.length > 0) throw new UnusableInput(problems);
  const entries = deviations.map((entry, n) => ({
    ...entry,
    at: formatLocation(yaml.locate(['deviations', n])),
    ...(entry.until !== undefined && entry.until < today ? { isExpired: true as const } : {}),
  }));
  return { file, entries };
}

/** A deviation that a run shows and that no file lists, with a sentence about it. */
export interface NewDeviation extends Pick<KnownDeviation, 'requirement' | 'cause'> {
  readonly comment: string;
}

const heading = ` What is wrong with this target and accepted for now: npx conformance certify --known FILE
 Give each entry its reason before you use the file. Optional: issue, and until, the last day on which it counts.`;

/** Characters of the comment on an entry. */
const maxComment = 160;

/** Adds deviations to the text of their file, each with an empty reason, which no run accepts. @param text '' for a new file */
export function addDeviations(text: string, added: readonly NewDeviation[]): string {
  const document = parseDocument(text === '' ? 'deviations:\n' : text);
  if (text === '') document.commentBefore = heading;
  const list = isSeq(document.get('deviations')) ? (document.get('deviations') as YAMLSeq) : document.createNode([]);
  list.flow = false;
  for (const { comment, ...entry } of added) {
    const node = document.createNode({ ...entry, reason: '' });
    node.commentBefore = ` ${shorten(toOneLine(comment), maxComment)}`;
    list.add(node);
  }
  document.set('deviations', list);
  return document.toString({ lineWidth: 0 });
}
