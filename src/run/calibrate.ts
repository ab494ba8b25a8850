import { listSuccesses } from '../assertions/row-evidence.js';
import type { Suite } from '../cases/suite.js';
import type { Channel, Exchange } from '../http/exchange.js';
import {
  describeAnswer,
  describeTransportError,
  explainRedirect,
  explainRefusedCredentials,
  explainTransientFailure,
  headersHint,
} from '../http/response-status.js';
import type { Recognizer } from '../recognition/recognizer.js';
import { hasMentions, type TierMentions } from '../recognition/tier-mentions.js';
import { omitUndefined } from '../support/omit-undefined.js';
import { findWrongAddress } from './find-wrong-address.js';
import { countAttempts } from './request-cache.js';
import { sanitizeText } from './sanitize-result.js';

/** What the first requests of a run showed: plain data for every process of the run. */
export interface Calibration {
  readonly namings: readonly TierMentions[];
  readonly exchanges: readonly Exchange[];
  /** Why the target cannot be tested, if so. */
  readonly unreachable?: string;
  /** A note for the user. */
  readonly note?: string;
  readonly requestsSent: number;
}

/**
 * Sends the calibration requests of a suite.
 *
 * @param isDescribed see `findWrongAddress`
 * @returns the tiers that successful responses mention. `unreachable` is set if every request ended with a transport
 *   error, refused credentials, a redirect or an unavailable deployment, since more requests could lock an account, or
 *   if something else than the operation answers.
 */
export async function calibrate(
  { calibration, world }: Suite,
  channel: Channel,
  recognizer: Recognizer,
  isDescribed: boolean,
): Promise<Calibration> {
  const exchanges = await Promise.all(calibration.map((request) => channel.send(request)));
  const namings = listSuccesses(exchanges).map(({ response }) => recognizer.findMentions(response.body));
  const failures = exchanges.map(explainFailure);
  const isSeen = namings.some(hasMentions);
  const isRefused = failures.every((each) => each !== undefined);
  const wrong = isRefused || isSeen ? undefined : await findWrongAddress(calibration, exchanges, channel, isDescribed);
  const unreachable = isRefused ? failures[0] : wrong?.reason;
  const hasTiers = world.tiers.some(({ id }) => !world.unavailable.has(id));
  const isWorldMissing = namings.length > 0 && hasTiers && !isSeen;
  const hasOtherLetterCase = namings.some((each) => each.hasOtherLetterCase);
  const note = isWorldMissing ? worldNote : hasOtherLetterCase ? letterCaseNote : undefined;
  return {
    namings,
    requestsSent: countAttempts([...exchanges, ...(wrong?.probes ?? [])]),
    exchanges,
    ...omitUndefined({ unreachable: unreachable && sanitizeText(unreachable), note }),
  };
}

/** Explains why other requests would fail like this one; undefined if they may succeed. */
function explainFailure(exchange: Exchange): string | undefined {
  if (!('response' in exchange)) return describeTransportError(exchange);
  const failure = explainTransientFailure(exchange);
  if (failure !== undefined) return failure;
  const { response } = exchange;
  const refusal = explainRefusedCredentials(response);
  if (refusal === undefined) return explainRedirect(response);
  return `${refusal} ${headersHint} The target said: ${describeAnswer(response)}.`;
}

const worldNote =
  'The first responses name no promotion of the test data. Load it (npx conformance world) under the ids in the target file. npx conformance doctor checks the target.';

const letterCaseNote =
  'The responses write ids of the test data in another letter case. The suite treats them as the same ids.';
