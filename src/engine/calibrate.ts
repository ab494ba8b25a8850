import type { Suite } from '../cases/suite.js';
import type { Channel, Exchange } from '../http/exchange.js';
import {
  explainRedirect,
  explainRefusedCredentials,
  explainTransientFailure,
  isSuccessful,
} from '../http/response-status.js';
import type { Recognizer } from '../recognition/recognizer.js';
import { hasMentions, type TierMentions } from '../recognition/tier-mentions.js';
import { countAttempts } from './request-cache.js';
import { sanitizeText } from './sanitize-result.js';

/** What the first requests of a run showed: plain data for every process of the run. */
export interface Calibration {
  readonly namings: readonly TierMentions[];
  /** Why the target cannot be tested, if so. */
  readonly unreachable?: string;
  /** A note for the user. */
  readonly note?: string;
  readonly requestsSent: number;
  /** The statuses of the responses, each once; nothing if some request got no response. */
  readonly statuses?: readonly number[];
}

/**
 * Sends the calibration requests of a suite.
 *
 * @returns the tiers that successful responses mention. `unreachable` is set if every request ended with a transport
 *   error, refused credentials, a redirect or an unavailable deployment: more requests could lock an account.
 */
export async function calibrate(
  { calibration, world }: Suite,
  { send, redact }: Channel,
  recognizer: Recognizer,
): Promise<Calibration> {
  const exchanges = await Promise.all(calibration.map((request) => send(request)));
  const namings = exchanges.flatMap((exchange) =>
    'response' in exchange && isSuccessful(exchange.response) ? [recognizer.findMentions(exchange.response.body)] : [],
  );
  const failures = exchanges.map(explainFailure);
  const [failure] = failures;
  const isUnreachable = failure !== undefined && failures.every((each) => each !== undefined);
  const hasTiers = world.tiers.some(({ id }) => !world.unavailable.has(id));
  const isWorldMissing = namings.length > 0 && hasTiers && !namings.some(hasMentions);
  const hasOtherLetterCase = namings.some((each) => each.hasOtherLetterCase);
  const note = isWorldMissing ? worldNote : hasOtherLetterCase ? letterCaseNote : undefined;
  return {
    namings,
    requestsSent: countAttempts(exchanges),
    statuses: listStatuses(exchanges),
    ...(isUnreachable ? { unreachable: sanitizeText(failure, redact) } : {}),
    ...(note === undefined ? {} : { note }),
  };
}

function listStatuses(exchanges: readonly Exchange[]): number[] {
  const statuses = exchanges.flatMap((exchange) => ('response' in exchange ? [exchange.response.status] : []));
  return statuses.length === exchanges.length ? [...new Set(statuses)] : [];
}

/** Explains why other requests would fail like this one; undefined if they may succeed. */
function explainFailure(exchange: Exchange): string | undefined {
  const failure = explainTransientFailure(exchange);
  if (failure !== undefined || !('response' in exchange)) return failure;
  return explainRefusedCredentials(exchange.response) ?? explainRedirect(exchange.response);
}

const worldNote =
  'The first responses name no promotion of the test data. Load it (npx conformance world) under the ids in the target file. npx conformance doctor checks the target.';

const letterCaseNote =
  'The responses write ids of the test data in another letter case. The suite treats them as the same ids.';
