import { listSuccesses, type RowEvidence } from '../assertions/row-evidence.js';
import { windowSize } from '../contract/named-world.js';
import { createOracle, type Obligation } from '../contract/oracle.js';
import type { Tier } from '../contract/world.js';
import type { Exchange } from '../http/exchange.js';
import { matchesPatterns } from '../recognition/path-patterns.js';
import type { LocatedMention } from '../recognition/recognizer.js';
import { absentValue, type MentionFilter } from '../recognition/sibling-values.js';
import type { TierReading } from '../recognition/tier-reading.js';
import { remember } from '../support/compute-once.js';
import { groupBy } from '../support/group-by.js';
import { truncate } from '../support/untrusted-text.js';

/** Another way to read the responses of a target. All responses agree with the documentation if they are read so. */
export interface OtherReading {
  readonly reading: TierReading & { readonly filter: MentionFilter };
  /** Which mentions count: "with 'kind' valid beside them". */
  readonly words: string;
  /** The key of the target file that states it. */
  readonly stated: string;
}

/** What a response names, by what the documentation says of it. */
interface ReadResponse {
  readonly mentions: readonly LocatedMention[];
  readonly forbidden: readonly LocatedMention[];
  /** The mentions of each required tier. */
  readonly required: readonly (readonly LocatedMention[])[];
}

/** Of thousands of tiers, a response names a few, and only the newest are required. */
const indexTiers = remember((tiers: readonly Tier[]) => new Map(tiers.map((tier) => [tier.id, tier])));

/** Finds readings by what is beside the ids: a deployment may name all promotions, and mark the valid ones. */
export function findOtherReadings(
  exchanges: readonly Exchange[],
  reading: TierReading,
  { world, recognizer }: Pick<RowEvidence, 'world' | 'recognizer'>,
): OtherReading[] {
  // The target file says it.
  if (recognizer.filter !== undefined || (reading.kind !== 'agreed' && reading.kind !== 'stated')) return [];
  // Agreeing patterns name the same tiers, nested levels too.
  const counts = ({ pattern }: LocatedMention) =>
    reading.kind === 'agreed' || matchesPatterns(pattern, reading.patterns);
  const responses = listSuccesses(exchanges).map(({ request, response }): ReadResponse => {
    const { returned } = createOracle(request, world);
    const mentions = recognizer.listLocatedMentions(response.body).filter(counts);
    const byId = groupBy(mentions, ({ id }) => id);
    const listMentions = (tiers: readonly Tier[], obligation: Obligation) =>
      tiers
        .filter((tier) => !world.unavailable.has(tier.id) && returned(tier) === obligation)
        .map(({ id }) => byId.get(id) ?? []);
    const named = [...byId.keys()].flatMap((id) => indexTiers(world.tiers).get(id) ?? []);
    return {
      mentions,
      required: listMentions(world.tiers.slice(0, windowSize), 'required'),
      forbidden: listMentions(named, 'forbidden').flat(),
    };
  });
  if (responses.every(({ forbidden }) => forbidden.length === 0)) return [];
  const single = reading.kind === 'agreed' && reading.nestedPaths !== undefined ? undefined : reading.patterns[0];
  const tier = reading.kind === 'stated' && reading.patterns.length > 1 ? reading.patterns : single;
  // Members that are named after promotions are records, too.
  const isId = (name: string) => name.split('/').some((step) => recognizer.ids.tiers.findIds(step).ids.length > 0);
  const names = new Set(responses.flatMap(({ mentions }) => mentions.flatMap(({ values }) => [...values.keys()])));
  const byValue = [...names].flatMap((name): OtherReading[] => {
    const values = isId(name)
      ? []
      : findDecisiveValues(responses, (mention) => mention.values.get(name) ?? absentValue);
    if (values.length === 0 || values.some((value) => value.startsWith('\0'))) return [];
    const shown = values.map(renderScalar);
    const line = `${renderScalar(name)}: ${shown.length === 1 ? shown[0] : `[${shown.join(', ')}]`}`;
    return [
      {
        reading: { ...reading, filter: { where: { [name]: values }, patterns: [] } },
        words: `with ${truncate(name, 60)}: ${shown.join(' or ')}`,
        stated: renderStated(tier, `where: { ${line} }`),
      },
    ];
  });
  const steps = single?.split('/') ?? [];
  const byIndex = steps.flatMap((step, at): OtherReading[] => {
    const indices = step === '*' ? findDecisiveValues(responses, (mention) => mention.indices.get(at) ?? '') : [];
    if (indices.length === 0 || indices.includes('')) return [];
    const patterns = indices.map((index) => steps.with(at, index).join('/'));
    const filter = { where: {}, patterns };
    return [
      { reading: { ...reading, filter }, words: `under ${patterns.join(' or ')}`, stated: renderStated(patterns) },
    ];
  });
  return [...byValue, ...byIndex];
}

/** A reading that needs more values than this may fit by chance. */
const maxValues = 3;

/** Finds the values that required tiers have and forbidden tiers do not; none if they do not decide everything. */
function findDecisiveValues(responses: readonly ReadResponse[], readValue: (mention: LocatedMention) => string) {
  const ofForbidden = new Set(responses.flatMap(({ forbidden }) => forbidden.map(readValue)));
  const decisive = new Set<string>();
  for (const mentions of responses.flatMap(({ required }) => required)) {
    const values = mentions.map(readValue).filter((value) => !ofForbidden.has(value));
    for (const value of values) decisive.add(value);
    if (values.length === 0 || decisive.size > maxValues) return [];
  }
  // What is the same for a whole response, such as a total, says nothing about one promotion.
  const isSplit = responses.some(
    ({ mentions }) => new Set(mentions.map((mention) => ofForbidden.has(readValue(mention)))).size > 1,
  );
  return isSplit ? [...decisive] : [];
}

/** Renders the line of a target file. @param tier its patterns; undefined if the suite finds them */
export function renderStated(tier: string | readonly string[] | undefined, where?: string): string {
  const patterns = [tier ?? []].flat().map(renderScalar);
  const stated = patterns.length === 1 ? patterns[0] : `[${patterns.join(', ')}]`;
  const parts = [...(patterns.length === 0 ? [] : [`tier: ${stated}`]), ...(where === undefined ? [] : [where])];
  return `response: { ${parts.join(', ')} }`;
}

/** Renders a value of a flow mapping in YAML. */
function renderScalar(text: string): string {
  return /^([\w/.-][\w/.*-]*|\[\])$/.test(text) ? text : JSON.stringify(text);
}
