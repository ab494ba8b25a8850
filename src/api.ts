/** The API for programs: `import { certify } from 'promotion-validation-conformance'`. */

import type { AnsweredExchange } from './assertions/row-evidence.js';
import type { Certificate } from './certificate/certificate.js';
import { openTarget } from './certify/open-target.js';
import { ReportedRun } from './certify/reported-run.js';
import { runPlannedCases } from './certify/target-run.js';
import { loadRunInputs } from './config/run-inputs.js';
import type { RunOptions } from './config/run-options.js';
import { readDataFile } from './contract/data-file.js';
import { credentialHeaders, credentialPlaceholders, occursInSuiteRequests } from './contract/operation.js';
import type { Credentials } from './http/connection-options.js';
import { mapExchangeTexts } from './http/exchange.js';
import { createRedactor, type Secret } from './http/redactor.js';
import { isSuccessful } from './http/response-status.js';
import { type RequestRestorer, restoreDocumentedRequest, type Transport } from './http/transport.js';
import { type CodedExchangeJudgement, judgeExchanges } from './judge/judge-exchange.js';
import { createRecognizer } from './recognition/recognizer.js';
import { createMentionFilter, type ResponseReadingSettings } from './recognition/sibling-values.js';
import { hasMentions } from './recognition/tier-mentions.js';
import { repetitionCaseId } from './run/case-result.js';
import { selectCases } from './suite/case-selection.js';
import { createReason, renderReason } from './support/reason.js';

export type { Certificate } from './certificate/certificate.js';
export type { RunVerdict } from './certificate/run-verdict.js';
export type { Credentials } from './http/connection-options.js';
export type { Headers, HttpRequest, HttpResponse } from './http/exchange.js';
export {
  NoResponse,
  type RequestRestorer,
  type Transport,
  type TransportContext,
  type TransportRequest,
  UnsupportedRequestError,
} from './http/transport.js';
export { UnusableInput } from './support/problem.js';

export interface CertifyOptions extends Pick<RunOptions, 'target' | 'against' | 'only' | 'intrusive' | 'worldLoaded'> {
  /** The name of the deployment in the certificate. Default: the name in the target file, or the host of the base URL. */
  readonly name?: string;
  /** Where `send` of the transport sends; also in the commands that repeat a request. Default: `http://localhost`. */
  readonly baseUrl?: string;
  /** In the credential headers, and redacted. Default: `CLIENT_APPLICATION_ID` and `CLIENT_TOKEN` of the environment. */
  readonly credentials?: Credentials;
}

/**
 * Certifies a deployment through a function, such as one in this process. Writes no files and does not read `.env`.
 * @throws UnusableInput if an option or a file that it names is invalid, or if the transport fails
 */
export async function certify(transport: Transport, options: CertifyOptions = {}): Promise<Certificate> {
  const { name, credentials, baseUrl, ...others } = options;
  const defaultUrl = others.target === undefined ? 'http://localhost' : process.env.BASE_URL;
  // allowHttp: the transport sends, not the suite.
  const runOptions = { ...others, baseUrl: baseUrl ?? defaultUrl, allowHttp: true };
  const environment = {
    ...process.env,
    CLIENT_APPLICATION_ID: credentials?.applicationId ?? process.env.CLIENT_APPLICATION_ID,
    CLIENT_TOKEN: credentials?.token ?? process.env.CLIENT_TOKEN,
  };
  const { suite, connection, settings: stated } = loadRunInputs(runOptions, environment);
  const inputs = { suite, settings: { ...stated, target: { ...stated.target, name: name ?? stated.target.name } } };
  const plannedCases = [...selectCases(suite, stated).map(({ id }) => id), repetitionCaseId];
  const channel = await openTarget(connection, transport);
  // Before the cases: the duration of a run includes them.
  const reported = new ReportedRun(new Set(plannedCases), inputs);
  const judged = await runPlannedCases(inputs, channel, { plannedCases }).finally(channel.close);
  const failure = channel.findFailure();
  if (failure !== undefined) throw failure;
  return (await reported.addAll(judged).certify()).certificate;
}

export interface ExchangeJudgement extends Pick<CodedExchangeJudgement, 'verdict'> {
  /** Empty for `pass` only. */
  readonly reason: string;
}

export interface JudgeOptions {
  /** A data file: what the deployment holds (docs/own-data.md). */
  readonly data: string;
  /** How responses name promotions, as `response` of a target file says it. Default: found from all exchanges. */
  readonly response?: ResponseReadingSettings;
  /** Turns each request into the documented one, for callers that spell it otherwise (docs/transports.md). */
  readonly restoreRequest?: RequestRestorer;
}

/**
 * Says what the documentation says of exchanges, such as those of real callers. Nothing is sent. Credentials in headers count
 * as present, and no judgement shows them.
 *
 * @throws UnusableInput with every problem of the data file, or if `restoreRequest` returns no request
 */
export function judge(
  exchanges: readonly AnsweredExchange[],
  { restoreRequest, ...options }: JudgeOptions,
): ExchangeJudgement[] {
  const restored = exchanges.map(({ request, response }) => {
    const read = restoreRequest === undefined ? { request } : restoreDocumentedRequest(restoreRequest, request);
    return 'request' in read ? { request: read.request, response } : read;
  });
  const documented = restored.filter((exchange) => 'request' in exchange);
  const redact = createRedactor(listSecrets(documented));
  const judgements = judgeDocumented(documented, redact, options);
  const judged = new Map<object, ExchangeJudgement>(
    judgements.map((judgement, n) => [documented[n] as object, judgement]),
  );
  return restored.map((exchange) => {
    if ('request' in exchange) return judged.get(exchange) as ExchangeJudgement;
    const reason = createReason('not-restored', { why: redact(exchange.unsupported) });
    return { verdict: 'undocumented', reason: renderReason(reason) };
  });
}

/** @returns a judgement for each exchange, in their order */
function judgeDocumented(
  exchanges: readonly AnsweredExchange[],
  redact: (text: string) => string,
  { data, response: stated = {} }: JudgeOptions,
): ExchangeJudgement[] {
  const { world } = readDataFile(data);
  const recognizer = createRecognizer(world, createMentionFilter(stated));
  const configuredPatterns = stated.tier === undefined ? undefined : [stated.tier].flat();
  const callers = exchanges.map((exchange) => JSON.stringify(listCredentials(exchange)));
  const redacted = exchanges.map(({ request, response }) => {
    const headers = request.headers.map(([name, value]) => [name, findPlaceholder(name) ?? value] as const);
    return mapExchangeTexts({ request: { ...request, headers }, response }, redact) as AnsweredExchange;
  });
  const known = redacted.map(
    ({ response }) => isSuccessful(response) && hasMentions(recognizer.findMentions(response.body), configuredPatterns),
  );
  const judgements = judgeExchanges(redacted, {
    world,
    recognizer,
    // Without a filter, promotions are returned whatever is beside their ids. More of them show little more.
    calibration: redacted.filter(({ request }) => !request.path.includes('filters')).slice(0, 50),
    isWorldSeen: true,
    configuredPatterns,
  });
  const accepted = new Set(callers.filter((_, n) => known[n]));
  return judgements.map(({ verdict, reason }, n) => {
    if (verdict !== 'fail' || reason === undefined || accepted.has(callers[n] as string))
      return { verdict, reason: renderReason(reason) };
    return { verdict: 'inconclusive', reason: renderReason(createReason('credentials-unseen', { reason })) };
  });
}

/** The value that stands for a credential in documented requests. */
function findPlaceholder(headerName: string): string | undefined {
  const parts = ['applicationId', 'token'] as const;
  const part = parts.find((known) => credentialHeaders[known].toLowerCase() === headerName.toLowerCase());
  return part && credentialPlaceholders[part];
}

/** Without repetitions: most callers send one pair of credentials. */
function listSecrets(exchanges: readonly AnsweredExchange[]): Secret[] {
  return [...new Map(exchanges.flatMap(listCredentials).map((secret) => [secret.value, secret])).values()];
}

function listCredentials({ request }: AnsweredExchange): Secret[] {
  return request.headers.flatMap(([name, value]) => {
    const placeholder = findPlaceholder(name);
    return placeholder === undefined ? [] : [{ name, value, placeholder, occursInSuiteRequests }];
  });
}
