import { type AnsweredExchange, listSuccesses } from '../assertions/row-evidence.js';
import { listAvailableTiers, type NamedWorld } from '../contract/named-world.js';
import { createOracle, type Obligation } from '../contract/oracle.js';
import type { Exchange } from '../http/exchange.js';
import { matchesPatterns } from '../recognition/path-patterns.js';
import type { LocatedMention, Recognizer } from '../recognition/recognizer.js';
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

/** A reading that needs more values than this may fit by chance. */
const maxValues = 3;

/** What responses of a target are read with. */
interface ReadTarget {
  readonly world: NamedWorld;
  readonly recognizer: Recognizer;
}

/** What a response names, and what the documentation says of it. */
interface ReadResponse {
  readonly required: readonly string[];
  readonly mentions: readonly LocatedMention[];
  readonly forbidden: readonly LocatedMention[];
  readonly mentionsById: ReadonlyMap<string, readonly LocatedMention[]>;
}

/**
 * Finds readings by what is beside the ids: a kind, a flag, an index. A deployment may name all promotions and say of each
 * whether it is valid.
 *
 * @param reading by which a response violates the documentation
 */
export function findOtherReadings(
  exchanges: readonly Exchange[],
  reading: TierReading,
  target: ReadTarget,
): OtherReading[] {
  const { recognizer } = target;
  // The target file says it.
  if (recognizer.filter !== undefined || (reading.kind !== 'agreed' && reading.kind !== 'stated')) return [];
  const read =
    reading.kind === 'stated'
      ? (exchange: AnsweredExchange) => readResponse(exchange, target, reading.patterns)
      : getResponseReader(target);
  const responses = listSuccesses(exchanges).map(read);
  if (responses.every(({ forbidden }) => forbidden.length === 0)) return [];
  const single = reading.kind === 'agreed' && reading.nestedPaths !== undefined ? undefined : reading.patterns[0];
  const tier = reading.kind === 'stated' && reading.patterns.length > 1 ? reading.patterns : single;
  const names = new Set<string>();
  for (const { mentions } of responses)
    for (const { values } of mentions) for (const name of values.keys()) names.add(name);
  const { tiers } = recognizer.ids;
  const isId = (name: string) => name.split('/').some((step) => tiers.findIds(step).ids.length > 0);
  const byValue = [...names].flatMap((name): OtherReading[] => {
    // Members that are named after promotions are records, too.
    const values = isId(name)
      ? undefined
      : findDecisiveValues(responses, (mention) => mention.values.get(name) ?? absentValue);
    if (values === undefined || values.some((value) => value.startsWith('\0'))) return [];
    const where = Object.fromEntries([[name, values]]);
    const shown = values.map(renderScalar);
    const words = `with ${truncate(name, 60)}: ${shown.join(' or ')}`;
    const line = `${renderScalar(name)}: ${shown.length === 1 ? shown[0] : `[${shown.join(', ')}]`}`;
    const stated = renderStated(tier, `where: { ${line} }`);
    return [{ reading: { ...reading, filter: { where, patterns: [] } }, words, stated }];
  });
  if (single === undefined) return byValue;
  const steps = single.split('/');
  const byIndex = steps.flatMap((step, at): OtherReading[] => {
    if (step !== '*') return [];
    const indices = findDecisiveValues(responses, (mention) => String(mention.indices.get(at) ?? ''));
    if (indices === undefined || indices.includes('')) return [];
    const patterns = indices.map((index) => steps.with(at, index).join('/'));
    const filter = { where: {}, patterns };
    const stated = renderStated(patterns.length === 1 ? patterns[0] : patterns);
    return [{ reading: { ...reading, filter }, words: `under ${patterns.join(' or ')}`, stated }];
  });
  return [...byValue, ...byIndex];
}

/** Cases share the calibration, and many of their requests. */
const getResponseReader = remember((target: ReadTarget) =>
  remember((exchange: AnsweredExchange) => readResponse(exchange, target)),
);

/** @param patterns of the mentions that count; by default all: agreeing patterns name the same tiers, nested levels too */
function readResponse(
  { request, response }: AnsweredExchange,
  { world, recognizer }: ReadTarget,
  patterns?: readonly string[],
): ReadResponse {
  const { returned } = createOracle(request, world);
  const all = recognizer.listLocatedMentions(response.body);
  const mentions = patterns === undefined ? all : all.filter(({ pattern }) => matchesPatterns(pattern, patterns));
  const available = listAvailableTiers(world);
  const mentionsById = groupBy(mentions, ({ id }) => id);
  const ids = groupBy(available, returned);
  const idsOf = (obligation: Obligation) => (ids.get(obligation) ?? []).map(({ id }) => id);
  return {
    required: idsOf('required'),
    mentions,
    forbidden: idsOf('forbidden').flatMap((id) => mentionsById.get(id) ?? []),
    mentionsById,
  };
}

/** Finds the values that required tiers have and forbidden tiers do not; undefined if they do not decide everything. */
function findDecisiveValues(
  responses: readonly ReadResponse[],
  readValue: (mention: LocatedMention) => string,
): string[] | undefined {
  const ofForbidden = new Set(responses.flatMap(({ forbidden }) => forbidden.map(readValue)));
  const decisive = new Set<string>();
  for (const { required, mentionsById } of responses) {
    for (const id of required) {
      const values = (mentionsById.get(id) ?? []).map(readValue).filter((value) => !ofForbidden.has(value));
      if (values.length === 0) return undefined;
      for (const value of values) decisive.add(value);
    }
    if (decisive.size > maxValues) return undefined;
  }
  // What is the same for a whole response, such as a total, says nothing about one promotion.
  const isSplit = responses.some(({ mentions }) => {
    const left = mentions.filter((mention) => !ofForbidden.has(readValue(mention)));
    return left.length > 0 && left.length < mentions.length;
  });
  return isSplit && decisive.size > 0 ? [...decisive] : undefined;
}

/** Renders the line of a target file. @param tier its patterns; undefined if the suite finds them */
export function renderStated(tier: string | readonly string[] | undefined, where?: string): string {
  const patterns = [tier ?? []].flat().map(renderScalar);
  const first =
    patterns.length === 0 ? [] : [`tier: ${patterns.length === 1 ? patterns[0] : `[${patterns.join(', ')}]`}`];
  return `response: { ${[...first, ...(where === undefined ? [] : [where])].join(', ')} }`;
}

/** Renders a value of a flow mapping in YAML. */
function renderScalar(text: string): string {
  return /^([\w/.-][\w/.*-]*|\[\])$/.test(text) ? text : JSON.stringify(text);
}
