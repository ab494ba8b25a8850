import type { AnsweredExchange } from '../assertions/row-evidence.js';
import { isOwnCase, type Suite } from '../cases/suite.js';
import type { Certificate, QuestionEntry } from '../certificate/certificate.js';
import type { EvidenceArchive } from '../certificate/har-archive.js';
import type { Question } from '../contract/contract.js';
import { isTransient } from '../http/response-status.js';
import type { ResultWithExchanges } from '../run/case-result.js';
import { type BodyShortener, createBodyShortener } from './body-shortener.js';

/** A question with its answer. */
export interface QuestionAnswer {
  readonly question: Question;
  readonly entry: QuestionEntry;
  /** Undefined if the case was not selected. */
  readonly result?: ResultWithExchanges | undefined;
}

/** A response that shows the answer to a question. */
export interface ShownAnswer {
  readonly question: Question;
  readonly exchange: AnsweredExchange;
}

/** Everything that the outputs of a run are rendered from. Results and exchanges have their durations in milliseconds. */
export interface RunView {
  readonly certificate: Certificate;
  readonly suite: Suite;
  /** The results of the selected cases, without those of the user. */
  readonly suiteResults: readonly ResultWithExchanges[];
  /** The questions of the certificate, in the order of the contract. */
  readonly answers: readonly QuestionAnswer[];
  /** The responses that answer questions, without transient failures. */
  readonly shown: readonly ShownAnswer[];
  readonly shortenBody: BodyShortener;
  /** The archive of the exchanges; undefined if they were not kept. */
  readonly archive?: EvidenceArchive | undefined;
}

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
    return entry === undefined ? [] : [{ question, entry, result }];
  });
  const shown = answers.flatMap(({ question, result }): ShownAnswer[] => {
    const { exchange } = result ?? {};
    if (exchange === undefined || !('response' in exchange) || isTransient(exchange.response)) return [];
    return [{ question, exchange }];
  });
  const shortenBody = createBodyShortener(suiteResults);
  return { certificate, suite, suiteResults, answers, shown, shortenBody, archive };
}
