/** Bodies of a deployment, for a mock: JSON in which placeholders stand for what differs between results. */

import { isDeepStrictEqual } from 'node:util';
import { listSuccesses } from '../assertions/row-evidence.js';
import { getSubjectId, type TestCase } from '../cases/test-case.js';
import type { Tier, World } from '../contract/world.js';
import type { CaseEvidence, TargetContext } from '../judge/judge-case.js';
import { minLengthInsideText } from '../recognition/id-finder.js';
import { readReturned } from '../recognition/returned-tiers.js';
import { findTierMentions } from '../recognition/tier-mentions.js';
import { isContainer, isJsonObject, NumberText, parseExactly, readNumber, stringifyExactly } from '../support/json.js';

/** `expanded` has promotions, too. An empty result may have another type in place of a list. */
export type RecordedBodies = Readonly<Partial<Record<'promotions' | 'expanded' | 'none', unknown>>>;

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
export function extractBodies(testCase: TestCase, [evidence]: readonly CaseEvidence[]): RecordedBodies {
  const bodies = sources.flatMap(([name, question, request]) => {
    const exchange = getSubjectId(testCase) === question ? evidence?.exchanges.get(request) : undefined;
    return listSuccesses(exchange === undefined ? [] : [exchange]).flatMap(({ response: { body } }) => {
      const returned = new Set(evidence && readReturned(body, evidence).returned);
      // With one promotion, it is unclear whether a number counts it.
      if (name === 'none' ? returned.size > 0 : returned.size < 2) return [];
      const template = evidence && createTemplate(body, returned, evidence);
      return template === undefined ? [] : [[name, template]];
    });
  });
  return Object.fromEntries(bodies);
}

function createTemplate(body: string, returned: ReadonlySet<string>, { world, recognizer }: TargetContext): unknown {
  const listTiers = (value: unknown): string[] => {
    const { idsByPattern, unlocatedIds } = findTierMentions(stringifyExactly(value) ?? '', recognizer.ids);
    return [...new Set([...[...idsByPattern.values()].flat(), ...unlocatedIds])];
  };
  const replace = (value: unknown, values: readonly [string, unknown][], isInList: boolean): unknown => {
    const [placeholder] = values.find(([, known]) => isDeepStrictEqual(known, value)) ?? [];
    if (placeholder !== undefined && !isDeepStrictEqual(value, {})) return placeholder;
    if (typeof value === 'string') {
      const ids = values.filter(([, id]) => typeof id === 'string' && id.length >= minLengthInsideText);
      return ids.reduce((text, [name, id]) => text.replaceAll(id as string, name), value);
    }
    if (value instanceof NumberText) return `${numberStart}${value.text}>`;
    if (!isContainer(value)) return value;
    const members = Object.entries(value).map(([key, member]) => {
      const ids = isInList ? [] : listTiers(Array.isArray(value) ? member : { [key]: member });
      return { key, member, ids, id: ids[0] ?? '', length: JSON.stringify(member).length };
    });
    const isKeyed = members.every(({ key, id }) => key === id);
    const isList = (Array.isArray(value) || isKeyed) && members.every(({ ids }) => ids.length === 1);
    const known = members.filter(({ id }) => returned.has(id));
    const isWhole = known.length === 0 || known.length === returned.size;
    if (isList && isWhole && new Set(members.map(({ id }) => id)).size === members.length) {
      // Other members may lack what is optional.
      const [longest] = known.sort((a, b) => b.length - a.length);
      const tier = world.tiers.find(({ id }) => id === longest?.id);
      // Promotions that were not returned, such as skipped ones, are unknown for other requests.
      if (longest === undefined || tier === undefined) return Array.isArray(value) ? [] : {};
      return { [isKeyed ? keyed : listed]: replace(longest.member, listTierValues(tier, world), true) };
    }
    const replaced = members.map(({ key, member }) => [key, replace(member, values, isInList)] as const);
    return Array.isArray(value) ? replaced.map(([, member]) => member) : Object.fromEntries(replaced);
  };
  const counts: [string, unknown][] = [
    ['<count>', returned.size],
    ['<count as text>', String(returned.size)],
  ];
  const template = replace(parseExactly(body), returned.size > 1 ? counts : [], false);
  return template === undefined || listTiers(template).length > 0 ? undefined : template;
}

function isKeptNumber(template: unknown): template is string {
  return typeof template === 'string' && template.startsWith(numberStart);
}

/** Values below this depth are left out: a body can be nested deeper than the call stack allows. */
const maxDepth = 100;

/** Replaces values that differ between responses to the same request. @param changing their path patterns */
export function maskChanging(template: unknown, changing: ReadonlySet<string>, path = '', depth = 0): unknown {
  const isNumber = typeof template === 'number' || template instanceof NumberText || isKeptNumber(template);
  if (isNumber) return changing.has(path) ? '<changing number>' : template;
  const isChanging = changing.has(path) && !String(template).includes('<');
  if (typeof template === 'string') return isChanging ? '<changing>' : template;
  if (typeof template !== 'object' || template === null) return template;
  if (depth > maxDepth) return '…';
  const members = Object.entries(template).map(([key, member]) => {
    const step = Array.isArray(template) || key === listed || key === keyed ? '*' : key;
    return [key, maskChanging(member, changing, `${path}/${step}`, depth + 1)] as const;
  });
  return Array.isArray(template) ? members.map(([, member]) => member) : Object.fromEntries(members);
}

/** Renders a body as JSON. @param turn differs in each response */
export function fillBody(template: unknown, tiers: readonly Tier[], world: World, turn: number): string {
  const fill = (value: unknown, values: ReadonlyMap<string, unknown>): unknown => {
    if (typeof value === 'string' && values.has(value)) return values.get(value);
    if (isKeptNumber(value)) return readNumber(value.slice(numberStart.length, -1)) ?? value;
    if (typeof value === 'string')
      return [...values].reduce((text, [name, known]) => text.replaceAll(name, () => String(known)), value);
    if (Array.isArray(value)) return value.map((item) => fill(item, values));
    if (!isJsonObject(value)) return value;
    const fillFor = (entry: unknown, tier: Tier) => fill(entry, new Map([...values, ...listTierValues(tier, world)]));
    if (listed in value) return tiers.map((tier) => fillFor(value[listed], tier));
    if (keyed in value) return Object.fromEntries(tiers.map((tier) => [tier.id, fillFor(value[keyed], tier)]));
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, fill(member, values)]));
  };
  const counts = { '<count>': tiers.length, '<count as text>': String(tiers.length) };
  const ofResult = { ...counts, '<changing>': `…${turn}`, '<changing number>': turn };
  return stringifyExactly(fill(template, new Map<string, unknown>(Object.entries(ofResult)))) ?? '';
}
