import { createDeployment, type DeploymentOptions } from '../../reference/deployment/deployment.js';
import { type Certificate, type CertifiedRun, createCertificate } from '../../src/certificate/certificate.js';
import { withdrawFailuresOfWrongData } from '../../src/certificate/withdraw-failures-of-wrong-data.js';
import { type EntityKind, entityKinds } from '../../src/contract/world.js';
import type { HttpResponse, RequestChannel } from '../../src/http/exchange.js';
import { createTransportClient, type Transport, type TransportChannel } from '../../src/http/transport.js';
import type { Verdict } from '../../src/judge/verdict.js';
import { createRecognizer } from '../../src/recognition/recognizer.js';
import type { CaseResult } from '../../src/run/case-result.js';
import type { StartRunOptions } from '../../src/run/run.js';
import { loadSuite, type Suite } from '../../src/suite/suite.js';
import { parseJson } from '../../src/support/json.js';
import { renderReason } from '../../src/support/reason.js';
import {
  type Answer,
  createChannel,
  type EndedRun,
  inProcessCredentials,
  runSuite,
} from '../../tools/proof/judge-deployment.js';
import { findAnyFault } from '../../tools/proof/list-faults.js';
import { listReasonCodes } from './reasons.js';

/** What refuses each body by its Content-Type may be a proxy that refuses a body on GET: the run is incomplete, and says so. */
export const proxyLikeFaults: readonly string[] = ['json-unsupported', 'json-without-charset-refused'];

export { type Answer, createChannel as channelTo };

/** The cases of the suite, parsed once per process. */
export const suite: Suite = loadSuite();

/** The suite with its requirement cases only. */
export const requirementSuite: Suite = { ...suite, cases: suite.cases.filter(({ kind }) => kind === 'requirement') };

/** Shared by all runs in this process, because most responses are the same. */
export const recognizer = createRecognizer(suite.world);

/** Binds the names of the world. Without an id, the deployment does not have the thing. */
export function createBindings(idOf: (kind: EntityKind, name: string, n: number) => string | undefined) {
  const at = { file: 'bindings.yaml', line: 1, column: 1 };
  const bindings = entityKinds.flatMap((kind) =>
    [...suite.world.ids[kind]].flatMap(([name, worldId], n) => {
      const id = idOf(kind, name, n);
      return id === undefined ? [] : [[worldId, { id, at }] as const];
    }),
  );
  return Object.fromEntries(bindings);
}

/** Creates the reference deployment, by default with the world of the suite. @param faults by id */
export function createReference({
  faults = [],
  ...options
}: Partial<Omit<DeploymentOptions, 'faults'>> & { faults?: readonly string[] } = {}) {
  const credentials = inProcessCredentials;
  return createDeployment({ world: suite.world, credentials, faults: faults.map(findAnyFault), ...options });
}

/** The certificate of a run in this process, its evidence, and what was found before the cases. */
export interface InProcessRun extends CertifiedRun, Pick<EndedRun, 'evidence' | 'examination'> {}

/** Runs a suite over a channel and creates the certificate. */
export async function certifyOver(
  channel: RequestChannel,
  stated: Suite,
  options: StartRunOptions = {},
): Promise<InProcessRun> {
  const shared = stated.world === suite.world && options.mentionFilter === undefined ? { recognizer } : {};
  let requestsSent = 0;
  const send: RequestChannel['send'] = async (...args) => {
    const exchange = await channel.send(...args);
    requestsSent += exchange.attempts ?? 1;
    return exchange;
  };
  const ended = await runSuite(stated, { ...channel, send }, { ...shared, ...options });
  const { results, evidence, showExchange, examination } = ended;
  const { load } = examination;
  const certificate = createCertificate(stated, withdrawFailuresOfWrongData(results, {}), {
    target: { name: 'in-process', base_url: 'http://in-process.test' },
    ...(load && { load: { sentence: renderReason(load.reason), isProven: load.isProven } }),
    notes: [],
    showExchange,
    requestsSent,
    isCutShort: false,
    startedAt: new Date(0),
    durationMs: 0,
  });
  return { certificate, results, showExchange, newDeviations: [], evidence, examination };
}

/** Runs a suite against a deployment in this process. Default: the whole suite. */
export function certifyInProcess(
  answer: Answer,
  { suite: stated = suite, ...options }: StartRunOptions & { suite?: Suite } = {},
): Promise<InProcessRun> {
  return certifyOver(createChannel(answer), stated, options);
}

/** A channel through a transport, whose `send` calls a function in this process. */
export function channelThrough(transport: Transport, answer: Answer, idleMs = 120_000): TransportChannel {
  const client = { ...createChannel(answer), redact: (text: string) => text, close: async () => undefined };
  return createTransportClient(transport, client, { baseUrl: 'http://in-process.test', idleMs });
}

/** Lists the requirements with a verdict. */
export function listRequirementsWith(verdict: string, { requirements }: Certificate): string[] {
  return requirements.filter((requirement) => requirement.verdict === verdict).map(({ id }) => id);
}

/** Lists the codes of the reasons of all cases with a verdict, those among the data of others too. */
export function listCodesOf(wanted: Verdict, results: readonly CaseResult[]): string[] {
  const found = results.filter(({ verdict }) => verdict === wanted);
  return [...new Set(found.flatMap(({ reason }) => listReasonCodes(reason)))];
}

/** Renders the cases that do not pass, for the message of a failing test. */
export function renderUnpassed({ requirements }: Certificate): string {
  const cases = requirements.flatMap((requirement) => requirement.cases);
  return cases
    .flatMap(({ id, verdict, reason }) => (verdict === 'pass' ? [] : `${id} ${verdict}: ${reason}`))
    .join('\n');
}

/** Adds members to every body that is an object, such as values that differ each time. */
export function addMembers(answer: Answer, create: (response: HttpResponse) => object): Answer {
  return (request) => {
    const response = answer(request);
    const body = parseJson(response.body);
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return response;
    return { ...response, body: JSON.stringify({ ...body, ...create(response) }) };
  };
}
