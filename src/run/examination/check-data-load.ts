import { listSuccesses } from '../../assertions/row-evidence.js';
import { locateReturnedTiers } from '../../judge/collect-row-evidence.js';
import {
  createFineFinding,
  createTlsFinding,
  type ExaminationCheckResult,
  type ExaminationContext,
  hasUsableResponse,
} from './examination.js';
import { examineDataLoad, explainRefusedIds } from './examine-data-load.js';
import { findRequestIndependentFailure } from './find-request-independent-failure.js';

/** Checks whether 401 and 403 are about the ids of a request, and not about its credentials. */
export async function checkIdsRefusedLikeCredentials(
  context: ExaminationContext,
): Promise<ExaminationCheckResult | undefined> {
  const [first] = context.exchanges;
  return first !== undefined && findRequestIndependentFailure(first) !== undefined
    ? await checkRefusedIds(context)
    : undefined;
}

/**
 * Checks whether requests are refused only because they name ids that the deployment does not know. After the check of
 * refused parts: a part that is refused whatever it says is a mistake of the deployment.
 */
export async function checkRefusedIds(context: ExaminationContext): Promise<ExaminationCheckResult | undefined> {
  const { request, exchanges, differ, successes, send, sendWithoutBody, target } = context;
  const [first] = exchanges;
  if (request === undefined || first === undefined || !hasUsableResponse(first) || first.response.status < 400)
    return undefined;
  if (differ(successes) || listSuccesses(await sendWithoutBody()).length === 0) return undefined;
  const reason = await explainRefusedIds(request, first, send, target.world);
  if (reason === undefined) return undefined;
  const failure = findRequestIndependentFailure(first);
  return {
    findings: {
      URL: createFineFinding('answers'),
      TLS: createTlsFinding(context),
      Credentials: createFineFinding('credentials-accepted'),
      'Body on GET': createFineFinding('body-read'),
      Ids: ['problem', reason],
    },
    load: { reason, isProven: false, worlds: [] },
    isLast: true,
    ...(failure && { unreachable: reason }),
  };
}

/** Checks whether the test data is loaded as the world says. */
export async function checkDataLoad(context: ExaminationContext): Promise<ExaminationCheckResult | undefined> {
  const { suite, target, exchanges, filtered, send, isSeen } = context;
  if (!isSeen) return undefined;
  const stated = findStatedLoad(context);
  if (stated !== undefined) return { findings: { Load: createFineFinding(stated) } };
  const known = { ...target, calibration: exchanges };
  const evidence = { ...known, reading: locateReturnedTiers(exchanges, known) };
  const load = await examineDataLoad(suite, filtered?.[1], send, evidence);
  if (load === undefined) return { findings: { Load: createFineFinding('load-unsuspected') } };
  return { findings: { Load: ['problem', load.reason] }, load };
}

/** Finds out why there is no load to check, as the code of a reason. */
function findStatedLoad({ target, isReference, isWorldLoaded }: ExaminationContext): string | undefined {
  if (target.world.isDataFile === true) return 'load-of-data-file';
  if (isReference) return 'load-of-reference';
  return isWorldLoaded ? 'load-stated' : undefined;
}
