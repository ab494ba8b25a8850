import path from 'node:path';
import Mustache from 'mustache';
import { computeOnce } from './caches.js';
import { renderShortList } from './collections.js';
import { packageRoot } from './package-root.js';
import { toOneLine } from './untrusted-text.js';
import { readYaml } from './yaml-file.js';

/**
 * Why a verdict was reached, as plain JSON. `templates/reasons.yaml` has the sentence of each code. A certificate has the code
 * and the sentence.
 */
export interface Reason {
  readonly code: string;
  readonly data: ReasonData;
}

/** A list is shown by its first members. A number 0 and an empty text leave out what stands between `{{#name}}` and `{{/name}}`. */
type ReasonData = Readonly<Record<string, ReasonValue>>;
type ReasonValue = string | number | Reason | readonly ReasonValue[];

export function createReason(code: string, data: ReasonData = {}): Reason {
  return { code, data };
}

const readSentences = computeOnce(
  () => readYaml(path.join(packageRoot, 'templates', 'reasons.yaml')).value as Readonly<Record<string, string>>,
);

/** @returns one line; empty without a reason */
export function renderReason(reason: Reason | undefined): string {
  if (reason === undefined) return '';
  const { code, data } = reason;
  const view = Object.fromEntries(Object.entries(data).map(([name, value]) => [name, renderValue(value)]));
  const sentences = readSentences();
  // Evidence of another version may have other codes.
  const sentence = Object.hasOwn(sentences, code) ? sentences[code] : undefined;
  return toOneLine(Mustache.render(sentence ?? code, new ReasonContext(view), sentences, { escape: String })).trim();
}

/** Shows what is missing: Mustache would leave it out. */
class ReasonContext extends Mustache.Context {
  override lookup(name: string): unknown {
    return super.lookup(name) ?? `{{${name}}}`;
  }
}

function renderValue(value: ReasonValue): string | number {
  if (typeof value !== 'object') return value;
  return 'code' in value ? renderReason(value) : renderShortList(value.map((member) => String(renderValue(member))));
}

/** Makes the texts of a reason fit for display. */
export function mapReasonTexts(reason: Reason, map: (text: string) => string): Reason {
  return JSON.parse(JSON.stringify(reason), (_, value) => (typeof value === 'string' ? map(value) : value));
}
