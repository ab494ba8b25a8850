// Apart from reading: every run reads settings, and only few load a parser of YAML.
import { type Document, isMap, isSeq, parseDocument, type YAMLMap, type YAMLSeq } from 'yaml';
import { findLineEnd } from '../support/text-file.js';
import { shorten, toOneLine } from '../support/untrusted-text.js';
import type { DeviationWithCause, DeviationWithRows, KnownDeviation, RowsByCase } from './known-deviations.js';

/** A deviation that a run shows and that no file lists, with a sentence about it. */
export type NewDeviation = (
  | Pick<DeviationWithCause, 'requirement' | 'cause' | 'rows'>
  | Pick<DeviationWithRows, 'requirement' | 'cause' | 'rows'>
) & { readonly comment: string };

/** A file of known deviations with further ones. */
export interface ExtendedFile {
  readonly text: string;
  /** How many entries are new. */
  readonly added: number;
  /** The requirements whose entries were there, and got further rows. */
  readonly extended: readonly string[];
}

const heading = ` What is wrong with this target and accepted for now: npx conformance certify --known FILE
 Give each entry its reason before you use the file. Optional: issue, and until, the last day on which it counts.`;

const maxComment = 160;

const withoutCause = 'No exact cause is known, so the entry names the rows that fail. A failure of another row is new.';

/**
 * Adds deviations to the text of their file. A new entry has an empty reason, which no run accepts. If there is an entry
 * without a cause for the same requirement, it gets the rows.
 *
 * @param text '' for a new file
 */
export function addDeviations(text: string, deviations: readonly NewDeviation[]): ExtendedFile {
  const document = parseDocument(text === '' ? 'deviations:\n' : text);
  if (text === '') document.commentBefore = heading;
  const list = isSeq(document.get('deviations')) ? (document.get('deviations') as YAMLSeq) : document.createNode([]);
  list.flow = false;
  const extended: string[] = [];
  for (const { comment, ...deviation } of deviations) {
    const { requirement, rows } = deviation;
    const entry = rows === undefined ? undefined : findEntryWithRows(document, list, requirement);
    if (entry !== undefined && rows !== undefined) {
      addRows(document, entry, rows);
      extended.push(requirement);
      continue;
    }
    const node = document.createNode({ ...deviation, reason: '' });
    const explained = rows === undefined ? '' : `\n ${withoutCause}`;
    node.commentBefore = ` ${shorten(toOneLine(comment), maxComment)}${explained}`;
    list.add(node);
  }
  document.set('deviations', list);
  const extendedText = document.toString({ lineWidth: 0 }).replaceAll('\n', findLineEnd(text));
  return { text: extendedText, added: deviations.length - extended.length, extended };
}

/** Finds the entry of a requirement that names rows. */
function findEntryWithRows(document: Document, { items }: YAMLSeq, wanted: string): YAMLMap | undefined {
  return items.find((item): item is YAMLMap => {
    if (!isMap(item)) return false;
    const { requirement, rows } = item.toJS(document) as KnownDeviation;
    return requirement === wanted && rows !== undefined;
  });
}

/** Adds rows to an entry. What is written there stays as it is, with its comments. */
function addRows(document: Document, entry: YAMLMap, added: RowsByCase): void {
  const { rows: named } = entry.toJS(document) as DeviationWithRows;
  // An alias stands for a part of another entry, which is to stay as it is.
  if (!isMap(entry.get('rows'))) entry.set('rows', document.createNode(named));
  const rows = entry.get('rows') as YAMLMap;
  for (const [id, more] of Object.entries(added)) {
    const before = (Object.hasOwn(named, id) ? named[id] : undefined) ?? [];
    if (before === 'all') continue;
    if (more === 'all') rows.set(id, more);
    else addTitles(document, rows, id, { before, more });
  }
}

/** Adds titles to those of a case. */
function addTitles(
  document: Document,
  rows: YAMLMap,
  id: string,
  { before, more }: Readonly<Record<'before' | 'more', readonly string[]>>,
): void {
  const missing = more.filter((title) => !before.includes(title));
  const list = rows.get(id);
  if (!isSeq(list)) rows.set(id, document.createNode([...before, ...missing]));
  else for (const title of missing) list.add(document.createNode(title));
}
