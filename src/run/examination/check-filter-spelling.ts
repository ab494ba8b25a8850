import { locateReturnedTiers } from '../../judge/collect-row-evidence.js';
import { readReturnedTiersOfBody } from '../../recognition/returned-tiers.js';
import { doFiltersNeedLiteralBrackets } from '../filter-spelling.js';
import type { ExaminationCheckResult, ExaminationContext } from './examination.js';

/** Checks whether filters are read percent-encoded, or only with literal brackets. */
export async function checkFilterSpelling(context: ExaminationContext): Promise<ExaminationCheckResult | undefined> {
  const { exchanges, target, filtered, isSeen, send } = context;
  if (!isSeen || filtered === undefined) return undefined;
  const { world, recognizer } = target;
  const readsLiteralFiltersOnly = await doFiltersNeedLiteralBrackets(world, filtered, send, (success) => {
    const reading = locateReturnedTiers([...exchanges, success], { ...target, calibration: exchanges });
    return readReturnedTiersOfBody(success.response.body, { reading, recognizer }).returned;
  });
  return { readsLiteralFiltersOnly };
}
