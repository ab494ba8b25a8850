import { bodyOfTheFirstRequest } from '../../../reference/faults/request.js';
import type { Tier } from '../../contract/world.js';
import { describeAnswer, isSuccessful } from '../../http/response-status.js';
import { hasMentions } from '../../recognition/tier-mentions.js';
import { refusedBody } from '../../run/examine.js';
import { groupBy } from '../../support/group-by.js';
import { parseJson } from '../../support/json.js';
import type { ExchangeIndex } from '../exchange-index.js';
import { createEqualSymptoms, type Finding } from './finding.js';
import { type Compared, isCompared, type Observations } from './observation.js';

/** The minimum number of different requests with the same answer. */
const minRequests = 3;

/** The least share of equal results of one URL that shows a cache: requests at the same time are answered before it is filled. */
const minCachedShare = 0.8;

/** Finds a cause that concerns every request alike: a wrong address, a gateway, one constant answer. */
export function findDeploymentCause({ all }: Observations, index: ExchangeIndex): Finding | undefined {
  const documented = all.filter(({ oracle }) => oracle.accepted).map(({ exchange }) => exchange);
  const exchanges =
    documented.length > 0 ? documented : index.listByCase('calibration').map(({ exchange }) => exchange);
  const createFinding = (id: string, sentence: string, evidence: string): Finding => {
    return { id, sentence, evidence: [evidence], symptoms: createEqualSymptoms(all) };
  };
  const responses = exchanges.flatMap((exchange) => ('response' in exchange ? [exchange.response] : []));
  const [response] = responses;
  // Without any response, the transport error is the reason of every case.
  if (response === undefined) return undefined;
  const count = `All ${responses.length} responses`;
  const shown = `The first one: ${describeAnswer(response)}.`;
  const statuses = [...new Set(responses.map(({ status }) => status))];
  const acceptsNoBody = index.all.some(
    (exchange) => exchange.request.body === undefined && 'response' in exchange && isSuccessful(exchange.response),
  );
  if (statuses.length === 1 && !isSuccessful(response))
    return createFinding(
      `every-status/${response.status}`,
      acceptsNoBody
        ? `The deployment answers ${response.status} to every request with a body, and accepts those without one. ${refusedBody}`
        : `The deployment answers ${response.status} to every request. ${explainStatus(response.status)}`,
      `${count} have the status ${response.status}. ${shown}`,
    );
  if (!responses.every(isSuccessful) || responses.length < minRequests) return undefined;
  // Promotions may be named, and yet it is not clear which of them were returned.
  const isNothingReturned =
    !index.calibration.some(hasMentions) && all.every(({ returned }) => !returned?.some(Boolean));
  if (isNothingReturned && responses.every(({ body }) => body !== '' && parseJson(body) === undefined))
    return createFinding(
      'not-json',
      'No response is JSON: the address is probably that of a web page. Check base_url and its path prefix.',
      `${count} have the status ${statuses.join(', ')} and no JSON. ${shown}`,
    );
  const isConstant = responses.every(
    ({ body, bodyLength }) => body === response.body && bodyLength === response.bodyLength,
  );
  const isWrong = all.some(({ returned = [], oracle }) => oracle.accepted && returned.length > 0);
  if (isConstant && isWrong && new Set(exchanges.map(({ request }) => request.body)).size >= minRequests)
    return createFinding(
      'constant-answer',
      'The deployment gives one constant answer to every request.',
      `${count} have the same body. ${shown}`,
    );
  if (!isNothingReturned) return undefined;
  return createFinding(
    'nothing-returned',
    'No promotion is ever returned: the test data is not loaded under these ids, or the result is always empty. Load it (npx conformance world).',
    `${count} name no promotion of the test data. ${shown}`,
  );
}

/**
 * Finds out whether the URL alone is the key of a cache. Then most requests to it have the result that is right for one of
 * them. Which one fills the cache is not known, as several are sent at once.
 */
export function findCachedUrl({ all, tiers }: Observations): Finding | undefined {
  const takeLargest = (entries: readonly Compared[], by: (shown: Compared) => string) =>
    [...groupBy(entries, by).values()].toSorted((left, right) => right.length - left.length)[0] ?? [];
  const ofUrl = takeLargest(all.filter(isCompared), ({ exchange }) => exchange.request.path);
  const equal = takeLargest(ofUrl, ({ returned }) => JSON.stringify(returned));
  const isRight = ({ returned, oracle }: Compared) =>
    returned.some((isReturned, n) => isReturned && tiers[n]?.rules.length !== 0) &&
    returned.every((isReturned, n) => oracle.returned(tiers[n] as Tier) !== (isReturned ? 'forbidden' : 'required'));
  const bodies = new Set(equal.map(({ exchange }) => exchange.request.body)).size;
  // Where everything is returned, that is no result of another request.
  if (equal[0]?.returned.every(Boolean)) return undefined;
  if (bodies < minRequests || equal.length < minCachedShare * ofUrl.length || !equal.some(isRight)) return undefined;
  const { id, sentence } = bodyOfTheFirstRequest;
  const evidence = `${equal.length} of ${ofUrl.length} requests to one URL have the same result, with ${bodies} different bodies.`;
  return { id, sentence, evidence: [evidence], symptoms: createEqualSymptoms(all) };
}

function explainStatus(status: number): string {
  if (status === 404) return 'The address is probably wrong: check base_url and its path prefix.';
  if (status === 401 || status === 403)
    return 'The credentials are probably wrong, or a gateway wants another header: check CLIENT_APPLICATION_ID, CLIENT_TOKEN and headers: in the target file.';
  if (status >= 300 && status < 400)
    return 'Redirects are not followed: set base_url to the address that they lead to.';
  if (status === 405) return 'It does not accept GET.';
  if (status >= 500) return 'Look into its log: every request makes it fail.';
  return 'Check base_url, its path prefix, and headers: in the target file.';
}
