import { isMap, isSeq, parseDocument } from 'yaml';
import { findLineEnd } from '../support/text-file.js';

/** A requirement that a target declares not to have, with the reason: an entry of `not_applicable` in a target file. */
export interface ScopeEntry {
  readonly requirement: string;
  readonly reason: string;
  /** Where the entry is, as FILE:LINE:COLUMN. */
  readonly at: string;
}

/** The key of a target file that has these entries. */
export const scopeKey = 'not_applicable';

/** Renders the entries that declare requirements. No run accepts them before their reasons are filled in. */
export function renderScopeEntries(requirements: readonly string[]): string[] {
  return requirements.map((id) => `  - { requirement: ${id}, reason: "" }`);
}

/** Adds requirements to the text of a target file, each with an empty reason. What is written there stays as it is. */
export function addScopeEntries(text: string, requirements: readonly string[]): string {
  const lineEnd = findLineEnd(text);
  const document = parseDocument(text);
  if (!document.has(scopeKey) && isMap(document.contents) && document.contents.flow !== true) {
    const appended = [text.trimEnd(), '', `${scopeKey}:`, ...renderScopeEntries(requirements), ''].join(lineEnd);
    // A mark of the end of the document would make the lines a second one.
    if (parseDocument(appended).errors.length === 0) return appended;
  }
  const stated = document.get(scopeKey);
  const list = isSeq(stated) ? stated : document.createNode([]);
  for (const requirement of requirements) list.add(document.createNode({ requirement, reason: '' }));
  document.set(scopeKey, list);
  return document.toString({ lineWidth: 0 }).replaceAll('\n', lineEnd);
}
