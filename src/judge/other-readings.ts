import { type AnsweredExchange, listSuccesses, type RowEvidence } from '../assertions/row-evidence.js';
import { createOracle, type Obligation } from '../contract/oracle.js';
import { findById, type Tier, windowSize } from '../contract/world.js';
import type { Exchange } from '../http/exchange.js';
import { matchesPathPatterns } from '../recognition/path-patterns.js';
import type { MentionWithSiblings } from '../recognition/recognizer.js';
import type { PathReading, ReturnedTierPaths } from '../recognition/returned-tier-paths.js';
import { absentValue, type MentionFilter } from '../recognition/sibling-values.js';
import { cacheByObject, cacheByText } from '../support/caches.js';
import { groupBy } from '../support/collections.js';
import { truncate } from '../support/untrusted-text.js';

/** Another way to read the responses of a target. All responses agree with the documentation if they are read so. */
export interface OtherReading {
  readonly reading: ReturnedTierPaths & { readonly filter: MentionFilter };
  /** Which mentions count: "with 'kind' valid beside them". */
  readonly words: string;
  /** The key of the target file that states it. */
  readonly stated: string;
}

/** What a response names, by what the documentation says of it. */
interface ReadResponse {
  readonly mentions: readonly MentionWithSiblings[];
  /** Of the members beside the ids. */
  readonly names: ReadonlySet<string>;
  readonly forbidden: readonly MentionWithSiblings[];
  /** The mentions of each required tier. */
  readonly required: readonly (readonly MentionWithSiblings[])[];
}

type ReadingContext = Pick<RowEvidence, 'world' | 'recognizer' | 'calibration'> & {
  readonly configuredPatterns?: readonly string[];
  /** Patterns that do not name what was returned. */
  readonly refuted?: ReadonlySet<string>;
};

/** Those of the calibration belong to every case. */
const getResponseReader = cacheByObject((target: ReadingContext) =>
  cacheByObject((exchange: AnsweredExchange) => readResponse(exchange, target)),
);

function readResponse(
  { request, response }: AnsweredExchange,
  { world, recognizer, configuredPatterns, refuted }: ReadingContext,
): ReadResponse {
  const { returned } = createOracle(request, world);
  const located = recognizer.listLocatedMentions(response.body).filter(({ pattern }) => !refuted?.has(pattern));
  // Agreeing patterns name the same tiers, nested levels too.
  const mentions = configuredPatterns
    ? located.filter(({ pattern }) => matchesPathPatterns(pattern, configuredPatterns))
    : located;
  const byId = groupBy(mentions, ({ id }) => id);
  const listMentions = (tiers: readonly Tier[], obligation: Obligation) =>
    tiers
      .filter((tier) => !world.unavailable.has(tier.id) && returned(tier) === obligation)
      .map(({ id }) => byId.get(id) ?? []);
  // Of thousands of tiers, a response names a few, and only the newest are required.
  const named = [...byId.keys()].flatMap((id) => findById(world.tiers, id) ?? []);
  return {
    mentions,
    names: new Set(mentions.flatMap(({ values }) => [...values.keys()])),
    required: listMentions(world.tiers.slice(0, windowSize), 'required'),
    forbidden: listMentions(named, 'forbidden').flat(),
  };
}

/** Finds readings by what is beside the ids: a deployment may name all promotions, and mark the valid ones. */
export function findOtherReadings(
  exchanges: readonly Exchange[],
  reading: ReturnedTierPaths,
  stated: ReadingContext,
): OtherReading[] {
  // The target file says it.
  if (stated.recognizer.filter !== undefined || (reading.kind !== 'agreed' && reading.kind !== 'stated')) return [];
  const target = leaveOutRefuted(stated, reading);
  const successes = listSuccesses(exchanges);
  // To read what is beside the ids takes long.
  if (!successes.some((success) => namesForbidden(success, target))) return [];
  const responses = successes.map(getResponseReader(target));
  return [...findReadingsByName(responses, reading, target), ...findReadingsByPlace(responses, reading)];
}

/** The one path of the returned tiers. The levels of a nested list have several. */
function getSinglePath(reading: PathReading): string | undefined {
  const isNested = reading.kind === 'agreed' && reading.nestedPaths !== undefined;
  return isNested ? undefined : reading.patterns[0];
}

/** Finds readings by the value of a member beside the ids, such as `valid: true`. */
function findReadingsByName(
  responses: readonly ReadResponse[],
  reading: PathReading,
  target: ReadingContext,
): OtherReading[] {
  const hasSeveralPaths = reading.kind === 'stated' && reading.patterns.length > 1;
  const tier = hasSeveralPaths ? reading.patterns : getSinglePath(reading);
  const names = [...new Set(responses.flatMap((response) => [...response.names]))];
  return names.filter(getNameFilter(target)).flatMap((name): OtherReading[] => {
    const values = findDecisiveValues(responses, readMember(name)) ?? [];
    // No line of a target file can state the values that begin with a null character.
    const isStatable = values.length > 0 && !values.some((value) => value.startsWith('\0'));
    if (!isStatable || isNamedAfterTier(name, target)) return [];
    const shown = values.map(renderScalar);
    const line = `${renderScalar(name)}: ${shown.length === 1 ? shown[0] : `[${shown.join(', ')}]`}`;
    return [
      {
        reading: { ...reading, filter: { where: { [name]: values }, patterns: [] } },
        words: `with ${truncate(name, 60)}: ${shown.join(' or ')}`,
        stated: renderTargetFileResponse(tier, `where: { ${line} }`),
      },
    ];
  });
}

/** Members that are named after promotions are records, and no marks of a record. */
function isNamedAfterTier(name: string, { recognizer }: ReadingContext): boolean {
  return name.split('/').some((step) => recognizer.ids.tiers.findIds(step).ids.length > 0);
}

/** Finds readings by the index of a list around the ids, such as `/groups/0`. */
function findReadingsByPlace(responses: readonly ReadResponse[], reading: PathReading): OtherReading[] {
  const steps = getSinglePath(reading)?.split('/') ?? [];
  return steps.flatMap((step, at): OtherReading[] => {
    const places = step === '*' ? findDecisiveValues(responses, ({ indices }) => indices.get(at) ?? '') : undefined;
    if (places === undefined || places.length === 0 || places.includes('')) return [];
    const patterns = places.map((index) => steps.with(at, index).join('/'));
    const filter = { where: {}, patterns };
    return [
      {
        reading: { ...reading, filter },
        words: `under ${patterns.join(' or ')}`,
        stated: renderTargetFileResponse(patterns),
      },
    ];
  });
}

/** Leaves out the paths that do not name what was returned. Returns the same for equal paths: caches belong to a target. */
function leaveOutRefuted(target: ReadingContext, reading: ReturnedTierPaths): ReadingContext {
  if (reading.kind !== 'agreed' || reading.refuted === undefined) return target;
  const paths = [...reading.refuted.incomplete, ...reading.refuted.wrong];
  const nested = [...(reading.nestedPaths ?? [])].flatMap(([path, whole]) => (paths.includes(whole) ? path : []));
  return getPartialTarget(target)(JSON.stringify([...paths, ...nested].sort()));
}

const getPartialTarget = cacheByObject((target: ReadingContext) =>
  cacheByText((paths): ReadingContext => ({ ...target, refuted: new Set(JSON.parse(paths) as string[]) })),
);

/** If a response names no tier that must not be returned, no other reading agrees better. */
function namesForbidden(
  { request, response }: AnsweredExchange,
  { world, recognizer, refuted }: ReadingContext,
): boolean {
  const { returned } = createOracle(request, world);
  const counting = [...recognizer.findMentions(response.body).idsByPattern].filter(([path]) => !refuted?.has(path));
  const named = new Set(counting.flatMap(([, ids]) => ids));
  return world.tiers.some((tier) => named.has(tier.id) && returned(tier) === 'forbidden');
}

const readMember = (name: string) => (mention: MentionWithSiblings) => mention.values.get(name) ?? absentValue;

/** The calibration alone refutes most names, and belongs to every case. */
const getNameFilter = cacheByObject((target: ReadingContext) => {
  const responses = listSuccesses(target.calibration).map(getResponseReader(target));
  return cacheByText((name) => findDecisiveValues(responses, readMember(name)) !== undefined);
});

/** A reading that needs more values than this may fit by chance. */
const maxValues = 3;

/** Lists the mentions of each required tier. One that is not mentioned is missing in every reading. */
function* listRequiredMentions(responses: readonly ReadResponse[]): Generator<readonly MentionWithSiblings[]> {
  for (const { required } of responses) for (const mentions of required) if (mentions.length > 0) yield mentions;
}

/**
 * Finds the values that required tiers have and forbidden tiers do not; none if they do not decide everything, undefined if
 * a required tier has only values of forbidden ones.
 * @param readValue reads what may tell the mentions that count from the others
 */
function findDecisiveValues(responses: readonly ReadResponse[], readValue: (mention: MentionWithSiblings) => string) {
  // This is asked for each name of a member, so no list of all mentions is made.
  const ofForbidden = new Set<string>();
  for (const { forbidden } of responses) for (const mention of forbidden) ofForbidden.add(readValue(mention));
  const decisive = new Set<string>();
  for (const mentions of listRequiredMentions(responses)) {
    const values = mentions.map(readValue).filter((value) => !ofForbidden.has(value));
    for (const value of values) decisive.add(value);
    if (values.length === 0) return undefined;
    if (decisive.size > maxValues) return [];
  }
  // What is the same for a whole response, such as a total, says nothing about one promotion.
  const isSplit = responses.some(
    ({ mentions }) => new Set(mentions.map((mention) => ofForbidden.has(readValue(mention)))).size > 1,
  );
  return isSplit ? [...decisive] : [];
}

/** Renders the line of a target file. @param tier its patterns; undefined if the suite finds them */
export function renderTargetFileResponse(tier: string | readonly string[] | undefined, where?: string): string {
  const patterns = [tier ?? []].flat().map(renderScalar);
  const stated = patterns.length === 1 ? patterns[0] : `[${patterns.join(', ')}]`;
  const parts = [...(patterns.length === 0 ? [] : [`tier: ${stated}`]), ...(where === undefined ? [] : [where])];
  return `response: { ${parts.join(', ')} }`;
}

/** Renders a value of a flow mapping in YAML. */
function renderScalar(text: string): string {
  return /^([\w/.-][\w/.*-]*|\[\])$/.test(text) ? text : JSON.stringify(text);
}
