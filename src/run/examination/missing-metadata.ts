/** Whether the tiers of the test data seem to be loaded without their metadata. */

import { type AnsweredExchange, listSuccesses } from '../../assertions/row-evidence.js';
import { createOracle } from '../../contract/oracle.js';
import type { TargetWorld, Tier } from '../../contract/world.js';
import type { Exchange, HttpRequest, RequestChannel } from '../../http/exchange.js';
import { isContentRefusal, isSuccessful } from '../../http/response-status.js';
import type { ResponseReadingContext, SuspectedWrongDataLoad } from '../../judge/suspected-wrong-data-load.js';
import { readReturnedTiersOfBody } from '../../recognition/returned-tiers.js';
import type { Suite } from '../../suite/suite.js';
import { groupBy } from '../../support/collections.js';
import { isJsonObject, parseJson } from '../../support/json.js';
import { createReason } from '../../support/reason.js';
import { listRequestsOfCase } from '../case-sender.js';

/** How many metadata filters must find nothing before the metadata counts as missing. */
const minEmpty = 3;

/** Sends further requests with metadata filters if the first one finds nothing. */
export async function examineMissingMetadata(
  { cases }: Pick<Suite, 'cases'>,
  filtered: Exchange | undefined,
  send: RequestChannel['send'],
  evidence: ResponseReadingContext,
): Promise<Omit<SuspectedWrongDataLoad, 'worlds'> | undefined> {
  const { world, calibration } = evidence;
  const findsNothing = (exchange: Exchange) => {
    if (!('response' in exchange)) return false;
    const { response } = exchange;
    if (!isSuccessful(response)) return isContentRefusal(response);
    const { returned, unclear } = readReturnedTiersOfBody(response.body, evidence);
    return returned.length === 0 && unclear.size === 0;
  };
  if (filtered === undefined || !isMetadataRequest(filtered.request, world) || !findsNothing(filtered))
    return undefined;
  const successes = listSuccesses(calibration);
  if (successes.some((success) => showsMetadata(success, evidence))) return undefined;
  const others = cases
    .flatMap((testCase) => (testCase.rows.length > 0 ? listRequestsOfCase(testCase) : []))
    .filter((request) => isMetadataRequest(request, world) && request.path !== filtered.request.path);
  const byFilter = [...groupBy(others, ({ path }) => path).values()].map(([request]) => request);
  const shortest = byFilter.toSorted((left, right) => left.path.length - right.path.length).slice(0, minEmpty - 1);
  const probes = await Promise.all(shortest.map(send));
  if (probes.length + 1 < minEmpty || !probes.every(findsNothing)) return undefined;
  const isProven = successes.length > 0 && successes.every((success) => showsEmptyMetadata(success, evidence));
  return { isProven, reason: createReason('load-without-metadata', { shown: Number(isProven) }) };
}

/** Whether the documentation requires a result of a request, and one metadata filter restricts it. */
function isMetadataRequest(request: HttpRequest, world: TargetWorld): boolean {
  const oracle = createOracle(request, world);
  if (oracle.filteredOn !== 'metadata' || !oracle.accepted || oracle.openReason !== undefined) return false;
  return oracle.matched.some((tier) => oracle.returned(tier) === 'required');
}

const listReturned = ({ response }: AnsweredExchange, evidence: ResponseReadingContext): Tier[] => {
  const returned = new Set(readReturnedTiersOfBody(response.body, evidence).returned);
  return evidence.world.tiers.filter(({ id }) => returned.has(id));
};

/** Whether a response has an entry of the metadata of a tier that it returns: its key and its value, as words. */
function showsMetadata(success: AnsweredExchange, evidence: ResponseReadingContext): boolean {
  const words = new Set(success.response.body.match(/[\w-]{3,}/g));
  const entries = listReturned(success, evidence).flatMap(({ metadata }) => Object.entries(metadata));
  return entries.some(([key, value]) => words.has(key) && words.has(String(value)));
}

/** Whether a response has a member for the metadata of each tier, and all are empty. */
function showsEmptyMetadata(success: AnsweredExchange, evidence: ResponseReadingContext): boolean {
  let empty = 0;
  parseJson(success.response.body, (name, value) => {
    if (/meta/i.test(name) && isEmpty(value)) empty += 1;
    return value;
  });
  return empty > 0 && empty >= listReturned(success, evidence).length;
}

function isEmpty(value: unknown): boolean {
  if (isJsonObject(value)) return Object.keys(value).length === 0;
  return value === null || value === '' || value === '{}' || (Array.isArray(value) && value.length === 0);
}
