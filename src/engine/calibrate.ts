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

/** What was learnt of the target before all cases: plain data, for every process of a run. */
export interface Calibration {
  readonly namings: readonly TierMentions[];
  /** Why nothing can be learnt of the target at all, if so. */
  readonly unreachable?: string;
  /** What the user should know before reading on. */
  readonly note?: string;
  readonly requestsSent: number;
}

/**
 * Sends the calibration requests of a suite.
 *
 * @returns what the successful responses name; `unreachable` where not one request got any response, or all were
 *   refused for their credentials, sent elsewhere, or met a deployment that is not available: the rest would fare no
 *   better, and may lock somebody out
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
  const refusals = exchanges.map(whyRefused);
  const [refusal] = refusals;
  const isUnreachable = refusal !== undefined && refusals.every((each) => each !== undefined);
  const hasTiers = world.tiers.some(({ id }) => !world.unavailable.has(id));
  const isUnseen = namings.length > 0 && hasTiers && !namings.some(hasMentions);
  const note = isUnseen
    ? noWorld
    : namings.some(({ hasOtherLetterCase: isInOtherCase }) => isInOtherCase)
      ? otherCase
      : undefined;
  return {
    namings,
    requestsSent: countAttempts(exchanges),
    ...(isUnreachable ? { unreachable: sanitizeText(refusal, redact) } : {}),
    ...(note === undefined ? {} : { note }),
  };
}

/** Why an exchange shows nothing that another request would not, in words; undefined where it shows something. */
function whyRefused(exchange: Exchange): string | undefined {
  const nothing = explainTransientFailure(exchange);
  if (nothing !== undefined || !('response' in exchange)) return nothing;
  return explainRefusedCredentials(exchange.response) ?? explainRedirect(exchange.response);
}

const noWorld =
  'The first responses name no promotion of the world. Is it loaded (npx conformance world), under the ids that the target file states? npx conformance doctor looks closer.';

const otherCase =
  'The responses write ids of the world in another letter case than they were loaded in. They are taken for the same.';
