import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AnsweredExchange } from '../assertions/row-evidence.js';
import { isOwnCase, type Suite } from '../cases/suite.js';
import type { Certificate, QuestionEntry } from '../certificate/certificate.js';
import type { EvidenceArchive } from '../certificate/har-archive.js';
import type { Question } from '../contract/contract.js';
import { isTransient } from '../http/response-status.js';
import type { ResultWithExchanges } from '../run/case-result.js';
import type { TaggedText } from '../support/markup.js';
import { renderYaml } from '../support/render-yaml.js';
import { escapeControlCharacters } from '../support/untrusted-text.js';
import { listOutputFiles, outputFolder } from './result-files.js';

export interface RunView {
  readonly certificate: Certificate;
  readonly suite: Suite;
  /** The results of the selected cases, without those of the user. */
  readonly suiteResults: readonly ResultWithExchanges[];
  /** The questions of the certificate, in the order of the contract. */
  readonly answers: readonly QuestionAnswer[];
  /** The archive of the exchanges; undefined if they were not kept. */
  readonly archive?: EvidenceArchive | undefined;
}

export interface QuestionAnswer {
  readonly question: Question;
  readonly entry: QuestionEntry;
  readonly result?: ResultWithExchanges | undefined;
  /** The exchange that shows the answer, unless it is a transient failure. */
  readonly shown?: AnsweredExchange | undefined;
}

/** The default export of `outputs/files/summary.md.ts` renders `summary.md`; undefined if the run has no such file. */
export type Output = (view: RunView) => OutputContent | undefined;

/** The content of a file. No kind of it is a plain string, so that only `encodeContent` decides how texts are escaped. */
export type OutputContent =
  | TaggedText<'html' | 'markdown'>
  | { readonly json: unknown }
  | { readonly yaml: object; readonly comment: string }
  | Buffer;

export function createRunView(
  certificate: Certificate,
  suite: Suite,
  results: readonly ResultWithExchanges[],
  archive?: EvidenceArchive,
): RunView {
  const suiteResults = results.filter((result) => !isOwnCase(result));
  const answers = suite.contract.questions.flatMap((question): QuestionAnswer[] => {
    const entry = certificate.questions.find(({ id }) => id === question.id);
    const result = suiteResults.find(({ subject }) => subject === question.id);
    const { exchange } = result ?? {};
    const isShown = exchange !== undefined && 'response' in exchange && !isTransient(exchange.response);
    return entry === undefined ? [] : [{ question, entry, result, shown: isShown ? exchange : undefined }];
  });
  return { certificate, suite, suiteResults, answers, archive };
}

export async function loadOutputs(): Promise<ReadonlyMap<string, Output>> {
  const extension = path.extname(import.meta.filename);
  const modules = listOutputFiles().map(async (file): Promise<[string, Output]> => {
    const module = await import(pathToFileURL(path.join(outputFolder, `${file}${extension}`)).href);
    return [file, module.default];
  });
  return new Map(await Promise.all(modules));
}

export function encodeContent(content: OutputContent): Buffer {
  if (Buffer.isBuffer(content)) return content;
  return Buffer.from(escapeControlCharacters(renderContent(content)));
}

function renderContent(content: Exclude<OutputContent, Buffer>): string {
  if ('text' in content) return content.text;
  if ('json' in content) return `${JSON.stringify(content.json, null, 2)}\n`;
  return `${content.comment}${renderYaml(content.yaml)}`;
}
