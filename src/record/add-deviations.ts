// Apart from reading: every run reads settings, and only few load a parser of YAML.
import { isSeq, parseDocument, type YAMLSeq } from 'yaml';
import { shorten, toOneLine } from '../support/untrusted-text.js';
import type { KnownDeviation } from './known-deviations.js';

/** A deviation that a run shows and that no file lists, with a sentence about it. */
export interface NewDeviation extends Pick<KnownDeviation, 'requirement' | 'cause'> {
  readonly comment: string;
}

const heading = ` What is wrong with this target and accepted for now: npx conformance certify --known FILE
 Give each entry its reason before you use the file. Optional: issue, and until, the last day on which it counts.`;

const maxComment = 160;

const withoutCause =
  'It names no cause, so every failure of this requirement counts as known, also one that comes later.';

/** Adds deviations to the text of their file, each with an empty reason, which no run accepts. @param text '' for a new file */
export function addDeviations(text: string, added: readonly NewDeviation[]): string {
  const document = parseDocument(text === '' ? 'deviations:\n' : text);
  if (text === '') document.commentBefore = heading;
  const list = isSeq(document.get('deviations')) ? (document.get('deviations') as YAMLSeq) : document.createNode([]);
  list.flow = false;
  for (const { comment, ...entry } of added) {
    const node = document.createNode({ ...entry, reason: '' });
    const hides = entry.cause === undefined ? `\n ${withoutCause}` : '';
    node.commentBefore = ` ${shorten(toOneLine(comment), maxComment)}${hides}`;
    list.add(node);
  }
  document.set('deviations', list);
  return document.toString({ lineWidth: 0 });
}
