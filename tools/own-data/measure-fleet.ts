import type { AnsweredExchange } from '../../src/assertions/row-evidence.js';
import type { Certificate } from '../../src/certificate/certificate.js';
import { openTarget } from '../../src/certify/open-target.js';
import { ReportedRun } from '../../src/certify/reported-run.js';
import { runPlannedCases } from '../../src/certify/target-run.js';
import { loadRunInputs } from '../../src/config/run-inputs.js';
import type { Exchange, HttpRequest, HttpResponse } from '../../src/http/exchange.js';
import { hasTransientStatus } from '../../src/http/response-status.js';
import { createRecognizer } from '../../src/recognition/recognizer.js';
import { repetitionCaseId } from '../../src/run/case-result.js';
import { selectCases } from '../../src/suite/case-selection.js';
import type { Suite } from '../../src/suite/suite.js';
import { type Fleet, type FleetMember, fleetCredentials, serveMember } from '../fleets/fleet.js';
import { findVisibleMistake } from './find-visible-mistake.js';
import type { Measurement, MissedMistake } from './measure-reference.js';

const environment = { ...process.env, ...fleetCredentials };

/** What became of the mistakes of a fleet, and the certificate of the deployment without one. */
export interface FleetMeasurement extends Measurement {
  readonly certificate: Certificate;
}

/** The member of a fleet that has no mistake. */
const careful = 'careful';

/**
 * Measures the mistakes of a fleet on data of its own.
 *
 * @param suite whose cases are drawn from the data
 * @param only the ids of the mistakes to measure; all if it is empty
 * @param requests that are compared with those of the right deployment where a run finds nothing
 */
export async function measureFleetOnData(
  fleet: Fleet,
  data: string,
  suite: Suite,
  requests: readonly HttpRequest[],
  only: readonly string[] = [],
): Promise<FleetMeasurement> {
  const { world } = suite;
  const recognizer = createRecognizer(world);
  const right = await serveMember(fleet, careful, data, async (baseUrl) => ({
    certificate: await certify(baseUrl, data, suite),
    responses: await sendAll(baseUrl, data, requests),
  }));
  const answered = requests.flatMap((request, n): AnsweredExchange[] => {
    const response = right.responses[n];
    return response === undefined ? [] : [{ request, response }];
  });
  const [found, missed, invisible]: [string[], MissedMistake[], string[]] = [[], [], []];
  for (const { id, story } of fleet.members
    .filter(isMistake)
    .filter(({ id }) => only.length === 0 || only.includes(id))) {
    let why = '';
    const result = await serveMember(fleet, id, data, async (baseUrl) => {
      const { verdict, incomplete_because = [] } = await certify(baseUrl, data, suite);
      if (verdict === 'does-not-conform') return 'found';
      why = [verdict, ...incomplete_because].join(': ');
      const responses = await sendAll(baseUrl, data, requests);
      const ofAnswered = requests.flatMap((_, n) => (right.responses[n] === undefined ? [] : [responses[n]]));
      return findVisibleMistake(answered, ofAnswered, world, recognizer);
    });
    if (result === 'found') found.push(id);
    else if (result === undefined) invisible.push(id);
    else missed.push({ id, story, shownBy: result.request, why });
  }
  return { found, missed, invisible, certificate: right.certificate };
}

function isMistake({ id, legal }: FleetMember): boolean {
  return id !== careful && !legal;
}

/** Certifies a deployment on its own data, over the network. @param suite with the requests that are drawn from this data */
async function certify(baseUrl: string, data: string, suite: Suite): Promise<Certificate> {
  const inputs = { ...loadRunInputs({ baseUrl, data, allowHttp: true }, environment), suite };
  const plannedCases = [...selectCases(inputs.suite, inputs.settings).map(({ id }) => id), repetitionCaseId];
  const channel = await openTarget(inputs.connection);
  const reported = new ReportedRun(new Set(plannedCases), inputs);
  const judged = await runPlannedCases(inputs, channel, { plannedCases }).finally(channel.close);
  return (await reported.addAll(judged).certify()).certificate;
}

/** How many requests are sent at once, and how many of them may fail: a deployment that has stopped working shows no more. */
const [sentAtOnce, maxFailures] = [50, 5];

/** Sends requests in their order, several at once. @returns undefined for one that got no usable response */
async function sendAll(
  baseUrl: string,
  data: string,
  requests: readonly HttpRequest[],
): Promise<(HttpResponse | undefined)[]> {
  const { connection } = loadRunInputs({ baseUrl, data, allowHttp: true }, environment);
  const channel = await openTarget(connection);
  const responses: (HttpResponse | undefined)[] = [];
  try {
    for (let start = 0; start < requests.length; start += sentAtOnce) {
      const exchanges = await Promise.all(
        requests.slice(start, start + sentAtOnce).map((request) => channel.send(request)),
      );
      const usable = exchanges.map((exchange) => (hasUsableResponse(exchange) ? exchange.response : undefined));
      responses.push(...usable);
      if (usable.filter((response) => response === undefined).length > maxFailures) break;
    }
  } finally {
    await channel.close();
  }
  return responses;
}

function hasUsableResponse(exchange: Exchange): exchange is AnsweredExchange {
  return 'response' in exchange && !hasTransientStatus(exchange.response);
}
