import { minLengthInsideText } from './id-finder.js';
import { mergeNestedPaths } from './path-normalization.js';
import { isCatchAllPattern, subtractIds, type TierMentions } from './tier-mentions.js';
import { matchesPatterns, type TierReading } from './tier-reading.js';

/** The tiers that a response returned, as far as it can be determined. */
export interface ReturnedTiers {
  /** In the order of the body. */
  readonly returned: readonly string[];
  /** Named in the body, but whether as returned cannot be determined. Whatever is in neither was not returned. */
  readonly unclear: ReadonlySet<string>;
  /** Why there are unclear ones. */
  readonly reason: string;
}

/** Of patterns in a message. */
const maxShown = 5;

/** Reads the result out of a body. */
export function readReturnedTiers(
  { idsByPattern: places, unlocatedIds: unplaced, possibleIds: hinted }: TierMentions,
  reading: TierReading,
): ReturnedTiers {
  const named = () => new Set([...[...places.values()].flat(), ...unplaced]);
  const found = (patterns: readonly string[]) => {
    const others = patterns.length - maxShown;
    const rest = others > 0 ? ` and ${others} more paths` : '';
    return `Promotions are named under ${patterns.slice(0, maxShown).join(' and ')}${rest}`;
  };
  const doubts = (returned: readonly string[], mayBeHinted = false): Omit<ReturnedTiers, 'returned'> => {
    const doubtful = mayBeHinted && hinted.size > 0 ? new Set([...unplaced, ...hinted]) : unplaced;
    if (doubtful.size === 0) return { unclear: new Set(), reason: '' };
    const because = unplaced.size > 0 ? unplacedBecause : hintedBecause;
    return { unclear: subtractIds(doubtful, new Set(returned)), reason: because };
  };
  switch (reading.kind) {
    case 'stated': {
      const lists = [...places]
        .filter(([pattern]) => matchesPatterns(pattern, reading.patterns))
        .map(([, list]) => list);
      const returned = [...new Set(lists.flat())];
      return { returned, ...doubts(returned, reading.isInTexts) };
    }
    case 'agreed': {
      const folded = mergeNestedPaths(places, reading.folds ?? new Map());
      const returned = reading.patterns.map((pattern) => folded.get(pattern)).find((list) => list !== undefined) ?? [];
      return { returned, ...doubts(returned, reading.isInTexts ?? reading.patterns.length === 0) };
    }
    case 'ambiguous':
      return {
        returned: [],
        unclear: named(),
        reason: `${found(reading.patterns)}, which ${whyAmbiguous(reading.patterns)}`,
      };
    case 'misstated':
      return {
        returned: [],
        unclear: named(),
        reason: `${found(reading.patterns)}, nowhere under ${reading.stated.join(' or ')}, which the target file states. Correct response.tier there.`,
      };
  }
}

const unplacedBecause =
  'The body names promotions outside of any JSON value, or several amid words, so whether they were returned cannot be determined.';

const hintedBecause = `The body holds ids of promotions inside longer texts. Ids of fewer than ${minLengthInsideText} characters may stand there for anything, so whether they were returned cannot be determined.`;

function whyAmbiguous(patterns: readonly string[]): string {
  const single = patterns.filter((pattern) => !isCatchAllPattern(pattern));
  const why = single.length < patterns.length ? 'are too many to be distinguished' : 'disagree';
  return `${why}. Name the right one in a target file: response: { tier: ${single[0] ?? '/promotions/*/id'} }, or the right ones in a list.`;
}
