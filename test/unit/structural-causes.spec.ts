/** Causes that the responses of a run prove: each with a deployment that has it, and with one that looks similar and has not. */

import { createHash } from 'node:crypto';
import { expect, test } from '@playwright/test';
import { createDeployment } from '../../reference/deployment/deployment.js';
import type { Change } from '../../reference/deployment/handlers.js';
import type { Tier } from '../../src/contract/world.js';
import { describeTextTraits } from '../../src/explanation/text-traits.js';
import { findCauses } from '../../tools/proof/find-first-cause.js';
import { createTimedChannel, inProcessCredentials } from '../../tools/proof/judge-deployment.js';
import { recognizer, suite } from '../support/in-process.js';

/** The causes of a deployment with a change, each with its evidence as one text. */
async function explain(change: Change): Promise<{ readonly id: string; readonly text: string }[]> {
  const respond = createDeployment({ world: suite.world, credentials: inProcessCredentials, change });
  const causes = await findCauses(createTimedChannel(respond), suite, recognizer);
  return causes.map(({ id, sentence, evidence }) => ({ id, text: [sentence, ...evidence].join(' ') }));
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');

const compare = (left: string, right: string): number => Number(left > right) - Number(left < right);

/** Limits results, which are sorted by a text first. */
const limitSorted =
  (size: number, read: (tier: Tier) => string): Change =>
  () => ({
    page: (tiers) => tiers.toSorted((left, right) => compare(read(left), read(right))).slice(0, size),
  });

const limits: readonly (readonly [what: string, cause: string | undefined, change: Change])[] = [
  ['20 of the newest', 'page-size/20', () => ({ page: (tiers) => tiers.slice(0, 20) })],
  ['25 of the oldest', 'page-size/25/oldest', () => ({ page: (tiers) => tiers.toReversed().slice(0, 25) })],
  ['12 by name', 'page-size/12/name-ascending-newest', limitSorted(12, ({ name }) => name)],
  ['30 by campaign', 'page-size/30/campaign-ascending-newest', limitSorted(30, ({ campaign_id }) => campaign_id)],
  ['20 in no order that is known', 'result-limit/20', limitSorted(20, ({ id }) => hash(id))],
  [
    'four of each campaign',
    'result-limit/4/campaign',
    () => ({
      page: (tiers) => {
        const isFirst = (tier: Tier, n: number) =>
          tiers.slice(0, n).filter(({ campaign_id }) => campaign_id === tier.campaign_id).length < 4;
        return tiers.filter(isFirst);
      },
    }),
  ],
  [
    'as many as fit into a size',
    undefined,
    () => ({
      page: (tiers) => {
        const sizes = tiers.map(({ id, name }) => id.length + name.length);
        return tiers.filter((_, n) => sizes.slice(0, n + 1).reduce((sum, size) => sum + size, 0) < 1000);
      },
    }),
  ],
  [
    'those without a rule about items',
    undefined,
    () => ({ page: (tiers) => tiers.filter(({ rules }) => rules.every((rule) => !('id' in rule))) }),
  ],
];

for (const [n, [what, cause, change]] of limits.entries())
  test(`A result that has ${what} has ${cause === undefined ? 'no limit' : 'a limit'} on the number of promotions`, {
    tag: n % 3 === 0 ? [] : '@long',
  }, async () => {
    const ids = (await explain(change)).map(({ id }) => id);
    if (cause !== undefined) expect(ids).toEqual([cause]);
    else expect(ids.filter((id) => /^page-size|^result-limit/.test(id))).toEqual([]);
  });

/** Evaluates the rules of a tier that are chosen. */
const evaluating =
  (choose: (rules: Tier['rules'], holds: (rule: Tier['rules'][number]) => boolean) => Tier['rules']): Change =>
  (handlers) => ({
    isValid({ rules }, request) {
      const holds = (rule: Tier['rules'][number]) => handlers.holds(rule, request);
      return choose(rules, holds).every(holds);
    },
  });

const rest: readonly (readonly [what: string, sentence: RegExp, isTrue: boolean, change: Change])[] = [
  [
    'the rules after one about customers are skipped',
    /Once a rule about customers holds, the rules after it/,
    true,
    evaluating((rules, holds) => {
      const end = rules.findIndex((rule) => rule.kind === 'customer' && holds(rule));
      return end < 0 ? rules : rules.slice(0, end);
    }),
  ],
  [
    'of the rules after one about customers, those about metadata are skipped',
    /Once a rule about customers holds|rules of other kinds are not evaluated/,
    false,
    evaluating((rules, holds) => {
      const isMet = rules.some((rule) => rule.kind === 'customer' && holds(rule));
      return rules.filter(({ kind }) => !isMet || kind !== 'metadata');
    }),
  ],
  [
    'the last rule is skipped',
    /^The last rule of a promotion is not evaluated\./,
    true,
    evaluating((rules) => rules.slice(0, -1)),
  ],
  [
    'a filter by promotion_id finds one tier of each campaign',
    /^Of the promotion tiers of one campaign, a filter by promotion_id finds only the newest\./,
    true,
    (handlers, { catalogue }) => ({
      inCampaign: (tier, id) => tier === catalogue.tiers.find((other) => handlers.inCampaign(other, id)),
    }),
  ],
  [
    'a filter by promotion_id finds two tiers of each campaign',
    /finds only/,
    false,
    (handlers, { catalogue }) => ({
      inCampaign: (tier, id) =>
        catalogue.tiers
          .filter((other) => handlers.inCampaign(other, id))
          .slice(0, 2)
          .includes(tier),
    }),
  ],
  [
    'one tier of each product is found',
    /^Of the promotion tiers with a rule about one product, only one is found: the newest\./,
    true,
    (handlers, { catalogue }) => ({
      isValid: (tier, request) => {
        const products = tier.rules.flatMap((rule) => (rule.kind === 'product' ? rule.id : []));
        const sent = request.lines.flatMap(({ as, id }) => (as === 'product' ? id : []));
        const found = sent.map((id) =>
          catalogue.tiers.find(({ rules }) => rules.some((rule) => rule.kind === 'product' && rule.id === id)),
        );
        return (products.length === 0 || found.includes(tier)) && handlers.isValid(tier, request);
      },
    }),
  ],
  [
    'tiers about a product are lost if the order has several products',
    /only one is found/,
    false,
    (handlers) => ({
      isValid: (tier, request) =>
        (tier.rules.every(({ kind }) => kind !== 'product') || request.lines.length < 2) &&
        handlers.isValid(tier, request),
    }),
  ],
  [
    'all rules about a key of metadata are evaluated like the first one of a request',
    /^Within a request, all rules about one key of metadata get the result of the one that is evaluated first/,
    true,
    (handlers) => {
      const known = new Map<string, boolean>();
      return {
        metadataRule(rule, request) {
          const result = known.get(rule.key) ?? handlers.metadataRule(rule, request);
          known.set(rule.key, result);
          return result;
        },
        select(request) {
          known.clear();
          return handlers.select(request);
        },
      };
    },
  ],
  [
    'rules about metadata compare keys alone',
    /^Within a request|^In place of all/,
    false,
    () => ({ metadataRule: ({ key }, { metadata }) => Object.hasOwn(Object(metadata), key) }),
  ],
  [
    'the window has the tiers of the last days of a month',
    /first in descending order of their day of the month of creation/,
    true,
    () => ({
      newest: (tiers) =>
        tiers.toSorted((left, right) => (left.created_at.slice(8) < right.created_at.slice(8) ? 1 : -1)).slice(0, 150),
    }),
  ],
  [
    'the window has the tiers of any order',
    /The checked ones are the first in/,
    false,
    () => ({
      newest: (tiers) => tiers.toSorted((left, right) => (hash(left.id) < hash(right.id) ? 1 : -1)).slice(0, 150),
    }),
  ],
];

for (const [n, [what, sentence, isTrue, change]] of rest.entries())
  test(`If ${what}, a cause ${isTrue ? 'says it' : 'does not say anything similar'}`, {
    tag: n % 3 === 0 ? [] : '@long',
  }, async () => {
    const texts = (await explain(change)).map(({ text }) => text);
    if (isTrue) expect(texts[0]).toMatch(sentence);
    else for (const text of texts) expect(text).not.toMatch(sentence);
  });

test('What wrong texts have in common is said if no right one has it', () => {
  const ofKey = (values: readonly string[]) => values.map((value) => [['key', value]] as const);
  const plain = ofKey(['web', 'north', 'gold', 'south', 'Broadway 12']);
  const describe = (values: readonly string[], right = plain) => describeTextTraits(ofKey(values), right);
  expect(describe(['a text of many letters', 'another long text'])).toContain(
    'a value of 17 letters or more (the others have 11 at most)',
  );
  expect(describe(['größe', 'crème'])).toContain('a value with a letter beyond ASCII');
  expect(describe(['a+b', 'gold+'])).toContain('a value with "+"');
  // One may share anything with none of the others.
  expect(describe(['größe'])).toBe('');
  expect(describe(['größe', 'crème'], ofKey(['web', 'öl', 'north', 'silvers', 'to']))).toBe('');
  // Few right ones lack anything by chance.
  expect(describe(['größe', 'crème'], plain.slice(0, 3))).toBe('');
  // A rule with several entries is wrong because of one of them.
  const several = [
    [
      ['key', 'web'],
      ['key', 'ö'],
    ],
    [['key', 'äpfel']],
  ] as const;
  expect(describeTextTraits(several, plain)).toContain('a value with a letter beyond ASCII');
});
