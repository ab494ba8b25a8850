/** The sentences of reasons. Other tests compare the codes and the data of reasons. */

import { expect, test } from '@playwright/test';
import { createReason, type Reason, renderReason } from '../../src/support/reason.js';
import { checkEachRow } from '../support/check-each-row.js';

const tier = (name: string, rank: number, data: Reason['data'] = {}) =>
  createReason('tier', { name, rank, id: '', why: '', ...data });
const tiers = (more: number, ...named: readonly Reason[]) => createReason('tiers', { named, more });
const mug = tier('mug', 2);
const missing = createReason('not-returned', { tiers: tiers(0, mug), entry: '' });
const missingSentence = "Not returned: 'mug' (rank 2).";
const passed = createReason('passed');
const byIds = createReason('order-by-ids');

const sentences: readonly (readonly [what: string, reason: Reason, sentence: string | RegExp])[] = [
  ['a tier', missing, missingSentence],
  [
    'a tier with its id and why it is valid',
    createReason('returned-wrongly', { tiers: tiers(0, tier('mug', 2, { id: 'P-2', why: 'is for ann' })), entry: '' }),
    "Returned, but should not be: 'mug' (P-2, rank 2: is for ann).",
  ],
  [
    'several tiers, not all of them named',
    createReason('not-returned', { tiers: tiers(4, mug, tier('plate', 3)), entry: '' }),
    "Not returned: 'mug' (rank 2), 'plate' (rank 3) and 4 more.",
  ],
  [
    'a data file that may be out of date',
    createReason('not-returned', { tiers: tiers(0, mug), entry: 'shop.json:3:5' }),
    `${missingSentence} Or the data file is out of date for this tier: shop.json:3:5`,
  ],
  [
    'results that differ on one side',
    createReason('results-differ', { name: 'plain', here: tiers(0, mug), there: '' }),
    "Returned here, but not in 'plain': 'mug' (rank 2).",
  ],
  [
    'results that differ on the other side',
    createReason('results-differ', { name: 'plain', here: '', there: tiers(0, mug) }),
    "Returned in 'plain', but not here: 'mug' (rank 2).",
  ],
  [
    'a row of several',
    createReason('rows', { title: 'two mugs', reason: missing, count: 1, total: 4 }),
    `Row 'two mugs': ${missingSentence} (1 of 4 rows)`,
  ],
  [
    'an unmet precondition',
    createReason('precondition', { reason: missing }),
    `A control request is not answered as expected. ${missingSentence}`,
  ],
  [
    'two different results',
    createReason('unstable', { first: missing, next: passed }),
    `Unstable: sent twice, with different results. First: ${missingSentence} Then: it passed.`,
  ],
  ['a failure among others', createReason('only-among-others', { reason: missing }), /^Only among other requests: Not/],
  [
    'a failure by turns',
    createReason('by-turns', { reason: missing, wrong: 4, sent: 9 }),
    `${missingSentence} When the same request was sent again, alone, the result was wrong 4 of 9 times.`,
  ],
  [
    'a list',
    createReason('lacking', { things: ['customer ann', 'tier greeting'] }),
    'The target does not have customer ann, tier greeting.',
  ],
  ['a redirect', createReason('redirected', { status: 302, location: '/login' }), /^Redirected \(302\) to \/login; /],
  ['a redirect to nowhere', createReason('redirected', { status: 302, location: '' }), /^Redirected \(302\); /],
  [
    'a stop',
    createReason('stopped', { since: 30, answers: '500' }),
    'From request 30 on, every documented request is answered 500.',
  ],
  [
    'a load that is shown',
    createReason('load-without-metadata', { shown: 1 }),
    /^The promotion tiers are loaded.*'\.$/,
  ],
  ['a load that is suspected', createReason('load-without-metadata', { shown: 0 }), /tiers may be loaded.* If it is, /],
  ['a load with evidence', createReason('load-reversed', { evidence: byIds }), /newest\. Their ids .* newest first\.$/],
  ['a load without evidence', createReason('load-reversed', { evidence: '' }), /newest\. Create .* oldest 150\.$/],
  ['a code of another version', createReason('no-such-code', { name: 'x' }), 'no-such-code'],
  ['a datum that is missing', createReason('of-request', { reason: passed }), "'{{name}}': it passed."],
  ['a line break in a datum', createReason('body-cut-off', { length: '1\n::error::' }), /^\S.* 1\\n::error:: /],
];

test('A reason has its sentence, with all data of it', () =>
  checkEachRow(sentences, (_, reason, sentence) => {
    const rendered = renderReason(reason);
    if (typeof sentence === 'string') expect(rendered).toBe(sentence);
    else expect(rendered).toMatch(sentence);
  }));

test('A pass has no sentence', () => {
  expect(renderReason(undefined)).toBe('');
});
