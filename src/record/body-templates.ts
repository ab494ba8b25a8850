/** Templates of a deployment's bodies, for a mock: JSON in which placeholders stand for what differs between results. */

import { isDeepStrictEqual } from 'node:util';
import { listSuccesses } from '../assertions/row-evidence.js';
import { getRequirementOrQuestionId, type TestCase } from '../cases/test-case.js';
import type { Tier, World } from '../contract/world.js';
import type { RowEvidenceWithReadings, TargetContext } from '../judge/collect-row-evidence.js';
import { minIdLengthInsideText } from '../recognition/id-finder.js';
import { readReturnedTiersOfBody } from '../recognition/returned-tiers.js';
import { findTierMentions } from '../recognition/tier-mentions.js';
import {
  isJsonContainer,
  isJsonObject,
  NumberText,
  parseJsonExactly,
  readNumber,
  stringifyExactly,
} from '../support/json.js';

/** `expanded` has promotions, too. An empty result may have another type in place of a list. */
export type BodyTemplates = Readonly<Partial<Record<'promotions' | 'expanded' | 'none', unknown>>>;

const sources = [
  ['promotions', 'expand-category-effect', 'plain'],
  ['expanded', 'expand-category-effect', 'expanded'],
  ['none', 'empty-result', 'probe'],
] as const;

/** The only member of an object that stands for a list of promotions, or for an object with a member for each. */
const [listed, keyed] = ['<promotions>', '<promotions by id>'];

/** A placeholder for a number whose digits neither JavaScript nor YAML keeps: `<number 9007199254740993>`. */
const numberStart = '<number ';

/** Numbers have placeholders of their own, so that they stay numbers. */
function listTierValues(tier: Tier, { campaigns }: World): [placeholder: string, value: unknown][] {
  return [
    ['<id>', tier.id],
    ['<numeric id>', readNumber(tier.id)],
    ['<name>', tier.name],
    ['<metadata>', tier.metadata],
    ['<created at>', tier.created_at],
    ['<campaign id>', tier.campaign_id],
    ['<campaign name>', campaigns.find(({ id }) => id === tier.campaign_id)?.name],
  ];
}

/** Extracts JSON bodies without promotions elsewhere than in one list of all, as in groups or a tree. */
export function extractBodyTemplates(
  testCase: TestCase,
  [evidence]: readonly RowEvidenceWithReadings[],
): BodyTemplates {
  if (evidence === undefined) return {};
  const ofCase = sources.filter(([, question]) => question === getRequirementOrQuestionId(testCase));
  const bodies = ofCase.flatMap(([name, , request]) => {
    const exchange = evidence.exchanges.get(request);
    return listSuccesses(exchange === undefined ? [] : [exchange]).flatMap(({ response: { body } }) => {
      const returned = new Set(readReturnedTiersOfBody(body, evidence).returned);
      // With one promotion, it is unclear whether a number counts it.
      const isMeant = name === 'none' ? returned.size === 0 : returned.size > 1;
      const template = isMeant ? createTemplate(body, { ...evidence, returned }) : undefined;
      return template === undefined ? [] : [[name, template]];
    });
  });
  return Object.fromEntries(bodies);
}

interface BodyContext extends Pick<TargetContext, 'world' | 'recognizer'> {
  /** The ids of the promotions that the body returns. */
  readonly returned: ReadonlySet<string>;
}

type PlaceholderValues = readonly (readonly [placeholder: string, value: unknown])[];

/** Returns undefined if a promotion stays in the body, or if the body is no JSON. */
function createTemplate(body: string, context: BodyContext): unknown {
  const { size } = context.returned;
  const counts = [['<count>', size] as const, ['<count as text>', String(size)] as const];
  const template = replaceValues(parseJsonExactly(body), size > 1 ? counts : [], context, false);
  return template === undefined || listNamedTiers(template, context).length > 0 ? undefined : template;
}

function listNamedTiers(value: unknown, { recognizer }: BodyContext): string[] {
  const { idsByPattern, unlocatedIds } = findTierMentions(stringifyExactly(value) ?? '', recognizer.ids);
  return [...new Set([...[...idsByPattern.values()].flat(), ...unlocatedIds])];
}

/** @param isInPromotion whether the value belongs to a promotion of the list, which has no other list of promotions */
function replaceValues(
  value: unknown,
  values: PlaceholderValues,
  context: BodyContext,
  isInPromotion: boolean,
): unknown {
  const [placeholder] = values.find(([, known]) => isDeepStrictEqual(known, value)) ?? [];
  // An empty object may mean anything, although the metadata of a promotion may be empty.
  if (placeholder !== undefined && !isDeepStrictEqual(value, {})) return placeholder;
  if (typeof value === 'string') return replaceInText(value, values);
  if (value instanceof NumberText) return `${numberStart}${value.text}>`;
  if (!isJsonContainer(value)) return value;
  const members = Object.entries(value).map(([key, member]): BodyMember => {
    const ids = isInPromotion ? [] : listNamedTiers(Array.isArray(value) ? member : { [key]: member }, context);
    return { key, member, ids, id: ids[0] ?? '', json: JSON.stringify(member) };
  });
  if (isListOfPromotions(value, members, context)) return replaceList(value, members, context);
  return mapMembers(value, (member) => replaceValues(member, values, context, isInPromotion));
}

/** Replaces what is certainly no coincidence inside of a longer text. */
function replaceInText(text: string, values: PlaceholderValues): string {
  return values.reduce((replaced, [placeholder, known]) => {
    const isLong = typeof known === 'string' && known.length >= minIdLengthInsideText;
    return isLong ? replaced.replaceAll(known, placeholder) : replaced;
  }, text);
}

/** A member of an array or an object, with the tiers that it names. */
interface BodyMember {
  readonly key: string;
  readonly member: unknown;
  readonly ids: readonly string[];
  /** The first of these; empty if there is none. */
  readonly id: string;
  /** The member as JSON. */
  readonly json: string;
}

function isKeyedById(members: readonly BodyMember[]): boolean {
  return members.every(({ key, id }) => key === id);
}

/** Whether each member is a promotion, and all that were returned are there, or none of them. A promotion may be there more than once. */
function isListOfPromotions(value: object, members: readonly BodyMember[], { returned }: BodyContext): boolean {
  const isList = (Array.isArray(value) || isKeyedById(members)) && members.every(({ ids }) => ids.length === 1);
  const listedIds = new Set(members.map(({ id }) => id));
  const count = [...listedIds].filter((id) => returned.has(id)).length;
  const isWhole = count === 0 || count === returned.size;
  // Members of one promotion that differ are no repetition, but rows of something else.
  const areRepeatedAlike = new Set(members.map(({ id, json }) => `${id} ${json}`)).size === listedIds.size;
  return isList && isWhole && areRepeatedAlike;
}

function replaceList(value: object, members: readonly BodyMember[], context: BodyContext): unknown {
  const { world, returned } = context;
  const known = members.filter(({ id }) => returned.has(id));
  // Other members may lack what is optional.
  const [longest] = known.sort((a, b) => b.json.length - a.json.length);
  const tier = world.tiers.find(({ id }) => id === longest?.id);
  // Promotions that were not returned, such as skipped ones, are unknown for other requests.
  if (longest === undefined || tier === undefined) return Array.isArray(value) ? [] : {};
  const promotion = replaceValues(longest.member, listTierValues(tier, world), context, true);
  return { [isKeyedById(members) ? keyed : listed]: promotion };
}

/** Maps the members of an array or an object. */
function mapMembers(value: object, map: (member: unknown, key: string) => unknown): unknown {
  const mapped = Object.entries(value).map(([key, member]) => [key, map(member, key)] as const);
  return Array.isArray(value) ? mapped.map(([, member]) => member) : Object.fromEntries(mapped);
}

function isKeptNumber(template: unknown): template is string {
  return typeof template === 'string' && template.startsWith(numberStart);
}

/** Values below this depth are left out: a body can be nested deeper than the call stack allows. */
const maxDepth = 100;

/** Replaces values that differ between responses to the same request. @param changing their path patterns */
export function maskChangingValues(template: unknown, changing: ReadonlySet<string>, path = '', depth = 0): unknown {
  const isNumber = typeof template === 'number' || template instanceof NumberText || isKeptNumber(template);
  if (isNumber) return changing.has(path) ? '<changing number>' : template;
  if (typeof template === 'string') return changing.has(path) && !template.includes('<') ? '<changing>' : template;
  if (!isJsonContainer(template)) return template;
  if (depth > maxDepth) return '…';
  return mapMembers(template, (member, key) => {
    const isOfAny = Array.isArray(template) || key === listed || key === keyed;
    return maskChangingValues(member, changing, `${path}/${isOfAny ? '*' : key}`, depth + 1);
  });
}

/** Renders a body as JSON for a result with these tiers, the reverse of `extractBodyTemplates`. @param turn differs in each response */
export function fillBody(template: unknown, tiers: readonly Tier[], world: World, turn: number): string {
  // A promotion that a response lists more than once counts once.
  const count = new Set(tiers).size;
  const ofResult = {
    '<count>': count,
    '<count as text>': String(count),
    '<changing>': `…${turn}`,
    '<changing number>': turn,
  };
  const values = new Map<string, unknown>(Object.entries(ofResult));
  return stringifyExactly(fillValue(template, values, { tiers, world })) ?? '';
}

interface ResultToFill {
  readonly tiers: readonly Tier[];
  readonly world: World;
}

function fillValue(value: unknown, values: ReadonlyMap<string, unknown>, result: ResultToFill): unknown {
  if (typeof value === 'string') return fillText(value, values);
  if (!isJsonContainer(value)) return value;
  const { tiers, world } = result;
  const fillFor = (entry: unknown, tier: Tier) =>
    fillValue(entry, new Map([...values, ...listTierValues(tier, world)]), result);
  if (isJsonObject(value) && listed in value) return tiers.map((tier) => fillFor(value[listed], tier));
  if (isJsonObject(value) && keyed in value)
    return Object.fromEntries(tiers.map((tier) => [tier.id, fillFor(value[keyed], tier)]));
  return mapMembers(value, (member) => fillValue(member, values, result));
}

function fillText(text: string, values: ReadonlyMap<string, unknown>): unknown {
  if (values.has(text)) return values.get(text);
  if (isKeptNumber(text)) return readNumber(text.slice(numberStart.length, -1)) ?? text;
  return [...values].reduce<string>((filled, [name, known]) => filled.replaceAll(name, () => String(known)), text);
}
