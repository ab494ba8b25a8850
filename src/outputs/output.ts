import path from 'node:path';
import { renderQuestionAnswer } from '../certificate/case-entry.js';
import type { CertifiedRun } from '../certificate/certificate.js';
import type { EvidenceArchive } from '../certificate/har-archive.js';
import { hasTransientStatus } from '../http/response-status.js';
import { isOwnCase, type Suite } from '../suite/suite.js';
import { escapeControlCharacters } from '../support/untrusted-text.js';
import { markAsWrittenByRun } from '../support/written-mark.js';
import { fillTemplate } from './template.js';

export type RunView = ReturnType<typeof createRunView>;
export type AnsweredQuestion = RunView['answers'][number];

/** The default export of `outputs/files/summary.md.ts` renders `summary.md`; undefined if the run has no such file. */
export type OutputRenderer = (view: RunView) => OutputContent | undefined;

/** The content of a file: a value, or what fills the template of that name. No text is ready: the writer escapes. */
export type OutputContent = { readonly json: unknown } | { readonly view: object } | Buffer;

/** @param archive of the exchanges; undefined if they were not kept */
export function createRunView(
  { certificate, results, showExchange }: Omit<CertifiedRun, 'newDeviations'>,
  suite: Suite,
  archive?: EvidenceArchive,
) {
  const suiteResults = results.filter((result) => !isOwnCase(result));
  // In the order of the contract.
  const answers = suite.contract.questions.flatMap((question) => {
    const entry = certificate.questions.find(({ id }) => id === question.id);
    const result = suiteResults.find(({ subject }) => subject === question.id);
    const exchange = showExchange(result?.exchangeId);
    // The exchange that shows the answer, unless it is a transient failure.
    const shown = exchange && 'response' in exchange && !hasTransientStatus(exchange.response) ? exchange : undefined;
    return entry === undefined ? [] : [{ question, entry, exchange, shown }];
  });
  return { certificate, suite, suiteResults, answers, archive };
}

/** @param quote renders what a deployment wrote */
export function renderAnswerOrNone(
  { question, entry: { outcome } }: AnsweredQuestion,
  quote?: (text: string) => string,
) {
  return outcome === null ? 'No answer.' : renderQuestionAnswer(question, outcome, quote);
}

/** The comment at the end of a text, in which its mark is. */
const comments: Readonly<Record<string, readonly [before: string, after: string]>> = {
  '.html': ['<!-- Written by ', ' -->\n'],
  '.md': ['\n<!-- Written by ', ' -->\n'],
  '.yaml': ['# Written by ', '\n'],
};

/** Encodes an output, with the mark by which a later run knows it. */
export function encodeOutput(file: string, content: OutputContent): Buffer {
  // The archiver has marked the evidence: the certificate has its digest.
  if (Buffer.isBuffer(content)) return content;
  if ('json' in content) {
    const text = JSON.stringify(content.json, null, 2).replace(/\n\}$/, ',\n  "written_by": "');
    return markAsWrittenByRun([Buffer.from(escapeControlCharacters(text))], '"\n}\n');
  }
  const [before, after] = comments[path.extname(file)] as readonly [string, string];
  return markAsWrittenByRun([Buffer.from(escapeControlCharacters(fillTemplate(file, content.view) + before))], after);
}
