import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { readCaseFile } from '../../src/cases/case-file.js';
import { loadSuite } from '../../src/cases/suite.js';
import type { RequirementCase, TestCase } from '../../src/cases/test-case.js';
import { loadContract, parseContract } from '../../src/contract/contract.js';
import type { HttpRequest } from '../../src/http/exchange.js';
import { packageRoot } from '../../src/support/package-root.js';
import { type Problem, UnusableInput } from '../../src/support/problem.js';
import { parseYaml } from '../../src/support/yaml-file.js';
import type { Tier } from '../../src/world/world.js';
import { loadWorld } from '../../src/world/world-file.js';
import { checkEachRow } from './support/check-each-row.js';
import { getLocation, parseMarked } from './support/marked.js';

const cases = path.join(packageRoot, 'cases');
const ledger = loadContract(path.join(cases, 'contract.yaml'));
const world = loadWorld(path.join(cases, 'world.yaml'));

const base = `
base:
  body:
    customer: { id: <customer ordinary> }
    order: { items: [{ product_id: <product mug>, quantity: 1 }], metadata: {} }
    options: {}
    metadata: {}
cases:`;

const requirement = (rest: string) => `${base}
  - id: one
    verifies: order.quantity
    title: One
${rest}`;

const question = (answers: string, rest: string) => `${base}
  - answers: ${answers}
    title: One
${rest}`;

function read(yaml: string): { cases: TestCase[]; problems: Problem[] } {
  return readCaseFile(parseYaml(yaml, 'cases.yaml'), ledger, world);
}

function problemsOf(load: () => unknown): readonly Problem[] {
  try {
    load();
  } catch (error) {
    if (error instanceof UnusableInput) return error.problems;
    throw error;
  }
  return [];
}

/** Each problem as one text, without its place. */
const textsOf = (problems: readonly Problem[]) =>
  problems.map(({ message, hint }) => (hint === undefined ? message : `${message} → ${hint}`));

const placesOf = (problems: readonly Problem[]) =>
  problems.map(getLocation).map(({ line, column }) => ({ line, column }));

/** What is wrong, a text in which `▸` stands before the mistake, and the problem that is found there. */
type Mistake = readonly [
  what: string,
  yaml: string,
  ...problems: (string | ReturnType<typeof expect.stringMatching>)[],
];

function refuses(mistakes: readonly Mistake[], load: (yaml: string) => readonly Problem[]): void {
  test(
    'each of them, at its place',
    checkEachRow(mistakes, (_, yaml, ...expected) => {
      const { text, places } = parseMarked(yaml);
      const problems = load(text);
      expect(textsOf(problems)).toEqual(expected);
      expect(placesOf(problems)).toEqual(places);
    }),
  );
}

test('a problem is reported with file, line, column and the hint', () => {
  const problems = read(
    'cases:\n  - id: one\n    verifies: order.quantity\n    titel: One\n    expect: [{ status: 2xx }]',
  );
  expect(new UnusableInput(problems.problems).message).toBe(
    [
      "cases.yaml:2:5: entry 1 of 'cases' lacks the key 'title'",
      "    Add 'title:'.",
      "cases.yaml:4:5: unknown key 'titel'",
      "    Did you mean 'title'?",
    ].join('\n'),
  );
});

test.describe('refuses what is not written as a case file', () => {
  refuses(
    [
      [
        'an empty file',
        '▸',
        'the file must be object → What is sent to a deployment, and what is expected of its responses.',
      ],
      [
        'an unknown key of a case',
        requirement('    request: {}\n    ▸expext: []\n    expect: [{ status: 2xx }]'),
        "unknown key 'expext' → Did you mean 'expect'?",
      ],
      [
        'an unknown key of a request',
        requirement('    request: { ▸hedaers: {} }\n    expect: [{ status: 2xx }]'),
        "unknown key 'hedaers' → Did you mean 'headers'?",
      ],
      [
        'an unknown key of a check, far from any known one',
        requirement('    request: {}\n    expect: [{ ▸something-else: 1 }]'),
        "unknown key 'something-else' → Known: accepted, all-of, any-of, body, of, records, returned, status.",
      ],
      [
        'a selection that is neither a word nor names',
        requirement('    request: {}\n    expect: [{ returned: { include: ▸{ newest: 3 } } }]'),
        expect.stringMatching(
          /^'include' must be string,array → All of these were returned\. .* Names of tiers, or one keyword: /,
        ),
      ],
      [
        'a filter on something else than a campaign or metadata',
        question('response-status', '    request: { filter: { ▸campain: spring } }\n    value: { take: status }'),
        expect.stringMatching(/^invalid name 'campain' → /),
      ],
      [
        'a case that says neither what it verifies nor what it answers',
        `${base}\n  - ▸▸▸title: One`,
        "entry 1 of 'cases' lacks the key 'id' → Add 'id:'.",
        "entry 1 of 'cases' lacks the key 'verifies' → Add 'verifies:'.",
        "entry 1 of 'cases' lacks the key 'expect' → Add 'expect:'.",
      ],
      [
        'a case that verifies something and has outcomes',
        requirement(
          '    request: {}\n    expect: [{ status: 2xx }]\n    ▸outcomes: [{ outcome: a, when: { status: 2xx } }]',
        ),
        "'outcomes' is not allowed here → Remove it.",
      ],
      [
        'a case that answers something and has an id of its own',
        question('response-status', '    ▸id: one\n    request: {}\n    value: { take: status }'),
        "'id' is not allowed here → Remove it.",
      ],
      [
        'a question with outcomes and a value',
        question(
          'response-status',
          '    request: {}\n    value: { take: status }\n    ▸outcomes: [{ outcome: a, when: { status: 2xx } }]',
        ),
        "'outcomes' is not allowed here → Remove it.",
      ],
      [
        'a question with a value and the exchange that shows an outcome',
        question('response-status', '    request: {}\n    value: { take: status }\n    ▸evidence: request'),
        "'evidence' is not allowed here → Remove it.",
      ],
      [
        'an outcome that is not said by its id',
        question('result-order', '    request: {}\n    outcomes: [▸{ when: { status: 2xx } }]'),
        "entry 1 of 'outcomes' lacks the key 'outcome' → Add 'outcome:'.",
      ],
      [
        'a status that is none',
        requirement('    request: {}\n    expect: [{ status: ▸9xx }]'),
        "'9xx' does not match ^[1-5](xx|\\d\\d)$ → A status code, a class such as 2xx, or a list of these. Or `same-as` with the name of another request.",
      ],
      [
        'a tag that is none',
        requirement('    tags: [▸instrusive]\n    request: {}\n    expect: [{ status: 2xx }]'),
        "entry 1 of 'tags' cannot be 'instrusive' → Did you mean 'intrusive'?",
      ],
      [
        'a request by the name of something else',
        requirement('    requests: { ▸The Other: {} }\n    expect: [{ status: 2xx }]'),
        "invalid name 'The Other' → Lower-case letters, digits and hyphens.",
      ],
    ],
    (yaml) => read(yaml).problems,
  );
});

test.describe('refuses names that lead nowhere', () => {
  refuses(
    [
      [
        'in <customer …>, once where it stands in the base that all requests share',
        `
base: { body: { customer: { id: ▸<customer anm> } } }
cases:
  - answers: response-status
    title: One
    request: {}
    value: { take: status }`,
        "there is no customer 'anm' in the world → Did you mean 'ann'?",
      ],
      [
        'in <product …>, in a query',
        question('response-status', '    request: { query: { a: ▸<product mugg> } }\n    value: { take: status }'),
        "there is no product 'mugg' in the world → Did you mean 'mug'?",
      ],
      [
        'in <tier …>, in a text that a body mentions',
        question(
          'audience-rules-only-effect',
          `    request: {}
    outcomes:
      - { outcome: skips-order-rules, when: { body: { mentions: [▸<tier greting>] } } }
      - { outcome: audience-tiers-only, when: { status: 2xx } }
      - { outcome: no-effect, when: { status: 2xx } }
      - { outcome: nothing-returned, when: { status: 2xx } }`,
        ),
        "there is no tier 'greting' in the world → Did you mean 'greeting'?",
      ],
      [
        'of a kind',
        question('response-status', '    request: { headers: { A: ▸<custmer ann> } }\n    value: { take: status }'),
        "there is no kind 'custmer' as in <custmer ann> → Did you mean 'customer'?",
      ],
      [
        'of a requirement',
        `${base}\n  - id: one\n    verifies: ▸order.quantty\n    title: One\n    request: {}\n    expect: [{ status: 2xx }]`,
        "there is no requirement 'order.quantty' in the ledger → Did you mean 'order.quantity'?",
      ],
      [
        'of a question',
        question('▸respons-status', '    request: {}\n    value: { take: status }'),
        "there is no question 'respons-status' in the ledger → Did you mean 'response-status'?",
      ],
      [
        'of a tier in a selection',
        requirement('    request: {}\n    expect: [{ returned: { include: [greeting, ▸grreting] } }]'),
        "there is no tier 'grreting' in the world → Did you mean 'greeting'?",
      ],
      [
        'of a tier as the whole selection',
        requirement('    request: {}\n    expect: [{ returned: { include: required, exclude: ▸forbiden } }]'),
        "there is no tier 'forbiden' in the world → Did you mean 'forbidden'?",
      ],
      [
        'of a campaign in a filter',
        question('response-status', '    request: { filter: { campaign: ▸sprig } }\n    value: { take: status }'),
        "there is no campaign 'sprig' in the world → Did you mean 'spring'?",
      ],
      [
        'of a campaign in a filter of the base',
        `
base: { filter: { campaign: ▸sprig } }
cases:
  - { answers: response-status, title: One, request: {}, value: { take: status } }`,
        "there is no campaign 'sprig' in the world → Did you mean 'spring'?",
      ],
      [
        'of a campaign in a filter of a variant',
        requirement(
          '    request: {}\n    matrix: { axis: { a: {}, b: { every: { filter: { campaign: ▸wintr } } } } }\n    expect: [{ ▸accepted: or-empty }]',
        ),
        "there is no campaign 'wintr' in the world → Did you mean 'winter'?",
        "the documentation does not say that this is accepted: what an unknown campaign means is open: wintr (row 'b') → Ask a question instead.",
      ],
      [
        'of a request in of',
        requirement('    requests: { one: {}, two: { again: 1 } }\n    expect: [{ of: [one, ▸tow], status: 2xx }]'),
        "there is no request 'tow' → Did you mean 'two'?",
      ],
      [
        'of a request in like',
        requirement(
          '    requests: { one: {}, other: { like: ▸on, again: 1 } }\n    expect: [{ of: one, status: 2xx }]',
        ),
        "there is no earlier request 'on' → Did you mean 'one'?",
      ],
      [
        'of a request in like that comes later',
        requirement('    requests: { one: { like: ▸two }, two: { again: 1 } }\n    expect: [{ of: one, status: 2xx }]'),
        "there is no earlier request 'two' → There is none.",
      ],
      [
        'of a request in a matrix',
        requirement(
          '    request: {}\n    matrix: { axis: { a: {}, b: { ▸evry: {} } } }\n    expect: [{ status: 2xx }]',
        ),
        "there is no request 'evry' → Did you mean 'every'?",
      ],
      [
        'of a request to compare with',
        question(
          'repeatability',
          `    requests: { one: {}, two: { again: 1 } }
    evidence: two
    outcomes:
      - { outcome: identical, when: { of: two, body: { same-as: ▸oen } } }
      - { outcome: same-promotions, when: { of: two, returned: { same-as: one } } }
      - { outcome: different-promotions, when: { of: two, returned: { differs-from: one } } }`,
        ),
        "there is no request 'oen' → Did you mean 'one'?",
      ],
      [
        'of a tier and of a request within alternatives',
        question(
          'repeatability',
          `    requests: { one: {}, two: { again: 1 } }
    evidence: two
    outcomes:
      - outcome: identical
        when:
          any-of:
            - { of: one, returned: { include: ▸greting } }
            - all-of:
                - { of: one, status: 2xx }
                - { of: ▸tow, status: 2xx }
      - { outcome: same-promotions, when: { of: two, returned: { same-as: one } } }
      - { outcome: different-promotions, when: { of: two, returned: { differs-from: one } } }`,
        ),
        "there is no tier 'greting' in the world → Did you mean 'greeting'?",
        "there is no request 'tow' → Did you mean 'two'?",
      ],
      [
        'of the request that shows the answer',
        question(
          'repeatability',
          `    requests: { one: {}, two: { again: 1 } }
    evidence: ▸tow
    outcomes:
      - { outcome: identical, when: { of: two, body: { same-as: one } } }
      - { outcome: same-promotions, when: { of: two, returned: { same-as: one } } }
      - { outcome: different-promotions, when: { of: two, returned: { differs-from: one } } }`,
        ),
        "there is no request 'tow' → Did you mean 'two'?",
      ],
      [
        'of an axis that the file shares',
        `axes: { whoever-asks: { ann: {}, ben: {} } }${requirement(
          '    request: {}\n    matrix: { who: ▸whoever-ask }\n    expect: [{ status: 2xx }]',
        )}`,
        "the file has no axis 'whoever-ask' under 'axes' → Did you mean 'whoever-asks'?",
      ],
      [
        'of a request in an axis that the file shares',
        `axes: { whoever-asks: { ann: {}, ben: { ▸evry: {} } } }${requirement(
          '    request: {}\n    matrix: { who: whoever-asks }\n    expect: [{ status: 2xx }]',
        )}`,
        "there is no request 'evry' → Did you mean 'every'?",
      ],
    ],
    (yaml) => read(yaml).problems,
  );
});

test.describe('refuses what does not fit the question', () => {
  refuses(
    [
      [
        'an outcome that the ledger does not list',
        question(
          'repeatability',
          `    requests: { one: {}, two: { again: 1 } }
    evidence: two
    outcomes:
      - { outcome: identical, when: { of: two, body: { same-as: one } } }
      - { outcome: same-promotions, when: { of: two, returned: { same-as: one } } }
      - { outcome: different-promotions, when: { of: two, returned: { differs-from: one } } }
      - { outcome: ▸identicle, when: { of: two, status: 2xx } }`,
        ),
        "'repeatability' has no outcome 'identicle' in the ledger → Did you mean 'identical'?",
      ],
      [
        'an outcome without a rule',
        question(
          'result-order',
          '    request: {}\n    outcomes: ▸[{ outcome: newest-first, when: { returned: { order: newest-first } } }]',
        ),
        "nothing shows the outcome 'oldest-first', 'another-order' → Add a rule for it.",
      ],
      [
        'an outcome without a rule, of its own or shared',
        question(
          'result-order',
          `    request: {}
    outcomes:
      - ▸outcome: newest-first
      - { outcome: oldest-first, when: { status: 2xx } }
      - { outcome: another-order, when: { status: 2xx } }`,
        ),
        "the file shares no rule for 'newest-first' → Add 'when:' with what shows it.",
      ],
      [
        'neither outcomes nor a value',
        `${base}\n  - ▸answers: response-status\n    title: One\n    request: {}`,
        "the answer to 'response-status' is an open value → Say 'value:' instead.",
      ],
      [
        'several requests of which none is said to show the answer',
        `${base}\n  - ▸answers: result-order
    title: One
    requests: { one: {}, two: { again: 1 } }
    outcomes:
      - { outcome: newest-first, when: { of: one, status: 2xx } }
      - { outcome: oldest-first, when: { of: one, status: 2xx } }
      - { outcome: another-order, when: { of: one, status: 2xx } }`,
        "which request shows the answer is not said → Add 'evidence:' with one of one, two.",
      ],
      [
        'an outcome twice',
        question(
          'result-order',
          `    request: {}
    outcomes:
      - { outcome: newest-first, when: { status: 2xx } }
      - { outcome: oldest-first, when: { status: 2xx } }
      - { outcome: another-order, when: { status: 2xx } }
      - { outcome: ▸oldest-first, when: { status: 4xx } }`,
        ),
        "there is another rule for 'oldest-first' → Leave out one of them.",
      ],
      [
        'a shared outcome without a rule',
        `shared: { outcomes: [▸{ outcome: newest-first }] }${question('response-status', '    request: {}\n    value: { take: status }')}`,
        "entry 1 of 'outcomes' lacks the key 'when' → Add 'when:'.",
      ],
      [
        'a value where the ledger lists outcomes',
        question('result-order', '    request: {}\n    value: ▸{ take: status }'),
        "the ledger lists outcomes for 'result-order' → Say 'outcomes:' instead.",
      ],
      [
        'outcomes where the answer is an open value',
        question('response-status', '    request: {}\n    outcomes: ▸[{ outcome: ok, when: { status: 2xx } }]'),
        "the answer to 'response-status' is an open value → Say 'value:' instead.",
      ],
    ],
    (yaml) => read(yaml).problems,
  );
});

test.describe('refuses requests and checks that say nothing, or two things', () => {
  refuses(
    [
      [
        'a case without a request',
        `${base}\n  - ▸id: one\n    verifies: order.quantity\n    title: One\n    expect: [{ status: 2xx }]`,
        "the case sends nothing → Add 'request: {}' to send the base request, or 'requests:'.",
      ],
      [
        'body and raw in one request',
        question(
          'malformed-json',
          `    request: { body: {}, raw: ▸"{" }
    outcomes:
      - { outcome: rejected, when: { status: 4xx } }
      - { outcome: server-error, when: { status: 5xx } }
      - { outcome: answered, when: { status: 2xx } }`,
        ),
        'a request has either body or raw → Leave out one of them.',
      ],
      [
        'a query that is written out, and a filter',
        question(
          'response-status',
          '    request: { query: "a=1", filter: ▸{ campaign: spring } }\n    value: { take: status }',
        ),
        'a query that is written out has its filters in it → Leave out one of them.',
      ],
      [
        'forms of sending of which one rules out the other',
        question(
          'response-status',
          '    request: { sent: ▸[chunked, members-reversed, in-pieces] }\n    value: { take: status }',
        ),
        'a request is not sent chunked and in-pieces → Leave out one of them.',
      ],
      [
        'equal requests in each row, though the exchange of one would serve for both',
        `${base}\n  - ▸id: one\n    verifies: order.quantity\n    title: One\n    requests: { one: {}, two: {}, three: { again: 1 } }
    matrix: { axis: { a: {}, b: { every: { sent: in-pieces } } } }\n    expect: [{ of: one, status: 2xx }]`,
        "the requests 'one' and 'two' are equal, so one is sent for both → Leave one of them out, or add 'again: 1' to 'two' to send both.",
      ],
      [
        'a check that says nothing',
        requirement('    request: {}\n    expect: [{ status: 2xx }, ▸{ of: request }]'),
        'a check that says nothing → Add status, body or returned.',
      ],
      [
        'a check that does not say which of several requests it means',
        requirement('    requests: { one: {}, two: { again: 1 } }\n    expect: [▸{ status: 2xx }]'),
        "which request is meant is not said → Add 'of:' with one of one, two.",
      ],
      [
        'a selection that means no tier in any row',
        requirement(
          '    request: { filter: { campaign: winter } }\n    expect: [{ accepted: or-empty }, { returned: { include: ▸required } }]',
        ),
        'no tier of the world is meant, so this can never apply → Choose others.',
      ],
    ],
    (yaml) => read(yaml).problems,
  );
});

test.describe('refuses requirement cases that might fail a conforming deployment, or pass on nothing', () => {
  const asking = (request: string, expectation: string) =>
    requirement(`    request: ${request}\n    expect: [${expectation}]`);
  /** The same, with a mark before the case. */
  const marking = (request: string, expectation: string) => asking(request, expectation).replace('- id', '- ▸id');
  const items = (list: string) => `{ body: { order: { items: [${list}] } } }`;
  const mug = (quantity: string) => `{ product_id: <product mug>, quantity: ${quantity} }`;
  const isReturned = (name: string, because = '') =>
    `the documentation does not say that '${name}' is returned${because} → Expect what it says.`;
  const isNotReturned = (name: string) =>
    `the documentation does not say that '${name}' is not returned → Expect what it says.`;
  const undocumented = (what: string) =>
    `a requirement cannot rest on this request: the documentation does not describe it: ${what} → Ask a question with it instead, or correct it.`;
  const notAccepted = (because: string) =>
    `the documentation does not say that this is accepted: ${because} → Ask a question instead.`;

  refuses(
    [
      [
        'a tier beyond the window',
        asking('{}', '{ returned: { ▸include: beyond-first } }'),
        isReturned('beyond-first'),
      ],
      ['a tier for another customer', asking('{}', '{ returned: { ▸include: for-ann } }'), isReturned('for-ann')],
      [
        'the absence of a valid tier',
        asking('{}', '{ returned: { include: greeting, ▸exclude: mug-1 } }'),
        isNotReturned('mug-1'),
      ],
      [
        'a tier with an order-metadata rule',
        asking(
          '{ body: { order: { metadata: { payment_mean: [credit-card] } } } }',
          '{ returned: { ▸include: credit-card } }',
        ),
        isReturned('credit-card'),
      ],
      [
        'how different quantities of a product add up',
        asking(items(`${mug('1')}, ${mug('2')}`), '{ returned: { ▸include: mug-3 } }'),
        isReturned('mug-3'),
      ],
      [
        'a set under audienceRulesOnly',
        asking('{ query: { audienceRulesOnly: "true" } }', '{ returned: { ▸include: greeting } }'),
        isReturned('greeting', ': the effect of audienceRulesOnly is open'),
      ],
      [
        'a set under two filters',
        asking('{ filter: { campaign: spring, metadata.level: gold } }', '{ returned: { ▸include: gold } }'),
        isReturned('gold', ': what several filters together mean is open'),
      ],
      [
        'two filters being accepted',
        asking('{ filter: { campaign: spring, metadata.level: gold } }', '{ ▸status: 2xx }'),
        notAccepted('what several filters together mean is open'),
      ],
      [
        'an omitted member being accepted',
        asking('{ without: [body.order] }', '{ ▸status: 2xx }'),
        notAccepted('what leaving out order means is open'),
      ],
      [
        'a numeric string as quantity',
        marking(`${items(mug('"1"'))}`, '{ returned: { ▸include: mug-1 } }'),
        undocumented('/body/order/items/0/quantity must be integer'),
        isReturned('mug-1', ': the documentation does not describe it: /body/order/items/0/quantity must be integer'),
      ],
      [
        'a member that the documentation does not name',
        marking('{ body: { coupon: a } }', '{ ▸status: 2xx }'),
        undocumented('/body (coupon) must NOT have additional properties'),
        notAccepted('the documentation does not describe it: /body (coupon) must NOT have additional properties'),
      ],
      [
        'another method',
        marking('{ method: POST }', '{ ▸status: 2xx }'),
        undocumented('/method must be equal to constant'),
        notAccepted('the documentation does not describe it: /method must be equal to constant'),
      ],
      [
        'a status code of its own',
        asking('{}', '{ ▸status: 200 }'),
        "the documentation names no status code → Expect '2xx'.",
      ],
      [
        'success where nothing is valid',
        asking('{ filter: { campaign: winter } }', '{ ▸status: 2xx }'),
        "no promotion is required for this request, and an empty result may have any status → Send a request that requires one, or write 'accepted: { or-empty-like: … }'.",
      ],
      [
        'what a body is like',
        asking('{}', '{ body: { ▸empty: true } }'),
        "the documentation says nothing about 'body.empty' → Expect status, accepted, records, or what is returned: include, exclude, only, differs-from.",
      ],
      [
        'one of several answers',
        asking('{}', '{ ▸any-of: [{ status: 2xx }, { status: 4xx }] }'),
        'a requirement has one answer, so alternatives cannot be expected → Ask a question instead.',
      ],
      [
        'that nothing but some of what is valid is returned',
        asking('{}', '{ returned: { include: greeting, ▸only: [greeting] } }'),
        isNotReturned('mug-1'),
      ],
      [
        'a difference between equal requests',
        requirement(
          '    requests: { one: {}, two: { again: 1 } }\n    expect: [{ of: one, returned: { ▸differs-from: two } }]',
        ),
        "the documentation does not say that 'one' and 'two' differ → Choose requests with different results.",
      ],
      [
        'an absence without its positive control',
        asking('{}', '{ returned: { ▸exclude: for-ann } }'),
        "a negative expectation needs its positive control, since an empty answer would satisfy it → Add 'returned: { include: … }' of the same request.",
      ],
      [
        'an absence whose control is of another request',
        requirement(`    requests: { one: {}, two: { again: 1 } }
    expect:
      - { of: one, returned: { include: greeting } }
      - { of: two, returned: { ▸exclude: for-ann } }`),
        "a negative expectation needs its positive control, since an empty answer would satisfy it → Add 'returned: { include: … }' of the same request.",
      ],
      [
        'an absence where nothing is required, without a request that returns something',
        asking('{ filter: { campaign: winter } }', '{ returned: { ▸only: matching } }'),
        "a negative expectation needs its positive control, since an empty answer would satisfy it → Add 'given:' with 'returned: { include: … }' of a request that returns something.",
      ],
      [
        'a request as accepted as one that says something else',
        requirement(`    requests: { one: {}, other: { body: { customer: { id: <customer ann> } } } }
    expect: [{ of: one, ▸accepted: { wherever: other } }]`),
        "'one' does not contain everything that 'other' contains, so it may return nothing if that returns something → Only add to that request, or write 'accepted: or-empty'.",
      ],
      [
        'a request as accepted as one with more items',
        requirement(`    requests: { one: {}, more: { body: { order: { items: [${mug('1')}, ${mug('1')}] } } } }
    expect: [{ of: one, ▸accepted: { wherever: more } }]`),
        "'one' does not contain everything that 'more' contains, so it may return nothing if that returns something → Only add to that request, or write 'accepted: or-empty'.",
      ],
      [
        'a status under audienceRulesOnly, whose result may be empty',
        asking('{ query: { audienceRulesOnly: "true" } }', '{ ▸status: 2xx }'),
        "no promotion is required for this request, and an empty result may have any status: the effect of audienceRulesOnly is open → Send a request that requires one, or write 'accepted: { or-empty-like: … }'.",
      ],
      [
        'an empty result that may not be empty',
        requirement(`    requests: { one: { query: { audienceRulesOnly: "true" } }, other: {} }
    expect: [{ of: one, ▸accepted: { or-empty-like: other } }]`),
        "a promotion may be valid for 'other', so its result may not be empty → Name a request for which no promotion is valid.",
      ],
      [
        'fewer than 150',
        asking('{}', '{ records: { ▸at-most: 149 } }'),
        'the documentation does not say that at most 149 promotions are returned → Expect at most 150, for a request without a query.',
      ],
      [
        'no more than 150 of a filtered request',
        asking('{ filter: { metadata.level: gold } }', '{ records: { ▸at-most: 150 } }'),
        'the documentation does not say that at most 150 promotions are returned → Expect at most 150, for a request without a query.',
      ],
      [
        'a part of a request with another customer',
        requirement(`    requests:
      one: { filter: { metadata.level: gold }, body: { customer: { id: <customer ann> } } }
      other: {}
    expect: [{ of: one, records: { ▸part-of: other } }]`),
        "the documentation does not say that 'one' returns a part of 'other' → Let the two requests differ only in a filter.",
      ],
      [
        'a row of a matrix in which nothing is expected',
        `${base}
  - ▸id: one
    verifies: order.quantity
    title: One
    request: {}
    matrix:
      campaign:
        spring: { every: { filter: { campaign: spring } } }
        winter: { every: { filter: { campaign: winter } } }
    expect: [{ returned: { include: required } }]`,
        "the case expects nothing (row 'winter') → Add 'expect:'.",
      ],
    ],
    (yaml) => read(yaml).problems,
  );
});

test.describe('refuses a ledger with', () => {
  const statement = '{ id: a.b, part: Limits, statement: Text. }';
  const entry = (rest: string) => `{ id: some-question, part: Limits, group: G, open: Text., ${rest} }`;
  const ledgerWith = (requirements: string, questions: string) =>
    `requirements: [${requirements}]\nquestions:\n  - ${questions}\ngroups: [{ name: G, asks: Text?, about: body }]\nexclusions: []`;
  const outcomes = 'outcomes: { one: A., other: B. }';
  refuses(
    [
      [
        'an unknown key',
        ledgerWith(statement, entry(`${outcomes}, ▸wran: [one]`)),
        "unknown key 'wran' → Did you mean 'warn'?",
      ],
      [
        'an id that is taken',
        ledgerWith(`${statement}, { id: ▸a.b, part: Limits, statement: Text. }`, entry(outcomes)),
        "the id 'a.b' is taken → Ids are permanent; choose another.",
      ],
      [
        'a warning about no outcome',
        ledgerWith(statement, entry(`${outcomes}, warn: [one, ▸othr]`)),
        "there is no outcome 'othr' → Did you mean 'other'?",
      ],
      [
        'a part that the documentation does not have',
        ledgerWith('{ id: a.b, part: ▸Limit, statement: Text. }', entry(outcomes)),
        "'part' cannot be 'Limit' → Did you mean 'Limits'?",
      ],
      [
        'a group that is not listed',
        ledgerWith(statement, '{ id: some-question, part: Limits, group: ▸H, open: Text., value: Text. }'),
        "there is no group 'H' → Did you mean 'G'?",
      ],
      [
        'outcomes and a value',
        ledgerWith(statement, `▸${entry(`${outcomes}, value: Text.`)}`),
        "entry 1 of 'questions' has both 'outcomes' and 'value' → Remove one of them.",
      ],
      [
        'undetermined among the outcomes',
        ledgerWith(statement, entry('outcomes: { one: A., ▸undetermined: B. }')),
        "invalid name 'undetermined' → `undetermined` is one more by itself.",
      ],
    ],
    (yaml) => problemsOf(() => parseContract(parseYaml(yaml, 'contract.yaml'))),
  );
});

test.describe('refuses what is no YAML', () => {
  const parse = (yaml: string) => problemsOf(() => parseYaml(yaml, 'cases.yaml'));
  refuses(
    [
      ['a duplicate key', 'cases:\n  - title: One\n    ▸title: Two', 'is not valid YAML: Map keys must be unique'],
      [
        'an alias without an anchor',
        'a: 1\nb: ▸*a',
        'is not valid YAML: Unresolved alias (the anchor must be set before the alias): a',
      ],
      [
        'two documents',
        'a: 1\n▸---\na: 2',
        'is not valid YAML: Source contains multiple documents; please use YAML.parseAllDocuments()',
      ],
    ],
    parse,
  );

  test('a bracket that is not closed, and aliases that unfold without end', () => {
    expect(parse('cases: [1, 2\nmore: x')[0]?.at).toEqual({ file: 'cases.yaml', line: 2, column: 1 });
    const bomb = [
      'a: &a [x, x, x, x]',
      ...[...'bcdefgh'].map((key, n) => `${key}: &${key} [${`*${'abcdefg'[n]}, `.repeat(4)}]`),
    ];
    expect(parse(bomb.join('\n'))[0]?.message).toContain('Excessive alias count');
  });

  test('a file that cannot be read', () => {
    const file = path.join(packageRoot, 'no-such-folder', 'contract.yaml');
    expect(textsOf(problemsOf(() => loadContract(file)))).toEqual(['cannot be read (ENOENT) → Check the path.']);
  });
});

test.describe('a whole folder', () => {
  /** A suite of one requirement and one question, with a case of each, and more files. */
  function folderWith(files: Readonly<Record<string, string>>): string {
    const folder = test.info().outputPath('cases');
    const written: Readonly<Record<string, string>> = {
      'contract.yaml': `
requirements: [{ id: order.quantity, part: Limits, statement: Text. }]
groups: [{ name: G, asks: Text?, about: body }]
questions: [{ id: response-status, group: G, part: Limits, open: Text., value: Text. }]
exclusions: []`,
      'world.yaml': `
customers: [ordinary]
products: [mug]
skus: { mug-white: mug }
categories: [kitchen]
campaigns: { spring: [kitchen] }
newest: 2024-01-20T12:00:00.000Z
hours_apart: 7
tiers:
  - { name: mug-1, campaign: spring, rules: [{ product: mug, at_least: 1 }] }
  - { name: "all-{n}", repeat: 160, campaign: spring }`,
      'requirements/good.yaml': requirement('    request: {}\n    expect: [{ returned: { include: mug-1 } }]'),
      'questions/good.yaml': question('response-status', '    request: {}\n    value: { take: status }'),
      ...files,
    };
    for (const [name, text] of Object.entries(written)) {
      mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
      writeFileSync(path.join(folder, name), text);
    }
    return folder;
  }

  /** The problems of a folder, each as FILE:LINE:COLUMN and message. */
  const problemsIn = (files: Readonly<Record<string, string>>) => {
    const folder = folderWith(files);
    return problemsOf(() => loadSuite(folder)).map((problem) => {
      const { file, line, column } = getLocation(problem);
      return `${path.relative(folder, path.resolve(file))}:${line}:${column}: ${problem.message}`;
    });
  };

  test('is accepted where nothing is wrong', () => {
    expect(loadSuite(folderWith({})).cases.map(({ id }) => id)).toEqual(['one', 'response-status']);
  });

  test('is refused without a folder for each kind of cases', () => {
    const folder = folderWith({});
    rmSync(path.join(folder, 'questions'), { recursive: true });
    const [problem, ...others] = problemsOf(() => loadSuite(folder));
    expect(others).toEqual([]);
    expect(problem).toMatchObject({
      at: { file: path.relative(process.cwd(), path.join(folder, 'questions')) },
      message: 'cannot be read (ENOENT)',
    });
  });

  test('tells all problems of all case files at once', () => {
    expect(
      problemsIn({
        'requirements/a.yaml': 'cases:\n  - title: x\n  title: y',
        'requirements/b.yaml':
          'cases:\n  - { id: b, verifies: a.b, title: B, expect: [{ status: 2xx }] }\n  - { id: c, verifies: order.quantity, title: C, expect: [{ status: 2xx }] }',
        'questions/c.yaml': 'casse: []',
      }),
    ).toEqual([
      expect.stringMatching(/^requirements\/a.yaml:3:1: is not valid YAML/),
      "requirements/b.yaml:2:24: there is no requirement 'a.b' in the ledger",
      'requirements/b.yaml:3:5: the case sends nothing',
      "questions/c.yaml:1:1: the file lacks the key 'cases'",
      "questions/c.yaml:1:1: unknown key 'casse'",
    ]);
  });

  test('tells problems of ledger, world and YAML at once, although the cases cannot be read without them', () => {
    expect(
      problemsIn({ 'contract.yaml': 'requirements: []', 'world.yaml': 'tiers: 3', 'questions/c.yaml': 'a: [' }).map(
        (problem) => problem.split(':')[0],
      ),
    ).toEqual([...Array(4).fill('contract.yaml'), ...Array(8).fill('world.yaml'), 'questions/c.yaml']);
  });

  test('says nothing of cases that cannot be judged for want of a ledger', () => {
    const problems = problemsIn({ 'contract.yaml': 'requirements: []', 'questions/c.yaml': 'casse: []' });
    expect(problems.filter((problem) => !problem.startsWith('contract.yaml'))).toEqual([]);
  });

  test('holds case files in folders of folders, and knows what to send for calibration', () => {
    const tagged = question('response-status', '    tags: [calibration]\n    request: {}\n    value: { take: status }');
    expect(loadSuite(folderWith({})).calibration).toEqual([]);
    const { cases, calibration } = loadSuite(
      folderWith({
        'questions/good.yaml': tagged,
        'requirements/deep/er.yaml': requirement('    request: {}\n    expect: [{ status: 2xx }]').replace(
          'id: one',
          'id: deep',
        ),
      }),
    );
    expect(cases.map(({ id }) => id)).toEqual(['deep', 'one', 'response-status']);
    expect(calibration.map(({ path }) => path)).toEqual(['/v1/promotions/validation']);
  });

  test('tells a mistake in a base once, not once per case', () => {
    expect(
      problemsIn({
        'questions/good.yaml': `${question('response-status', '    requests: { a: {}, b: { again: 1 } }\n    value: { of: a, take: status }').replace('<customer ordinary>', '<customer ordinry>')}`,
      }),
    ).toEqual(["questions/good.yaml:4:21: there is no customer 'ordinry' in the world"]);
  });

  test('has no two cases with one id', () => {
    expect(
      problemsIn({
        'requirements/twice.yaml': requirement('    request: {}\n    expect: [{ returned: { include: mug-1 } }]'),
      }),
    ).toEqual(["requirements/twice.yaml:9:5: there is another case 'one'"]);
  });

  test('has a case for every requirement', () => {
    expect(
      problemsIn({
        'requirements/good.yaml': question('response-status', '    request: {}\n    value: { take: status }'),
        'questions/good.yaml': `cases:\n  - { answers: response-status, title: T, request: {}, value: { take: status } }`,
      }),
    ).toEqual([
      expect.stringContaining("there is another case 'response-status'"),
      "contract.yaml:2:16: no case speaks of 'order.quantity'",
    ]);
  });
});

test.describe('accepts', () => {
  const requestsOf = (yaml: string): Record<string, HttpRequest> => {
    const { cases, problems } = read(yaml);
    expect(textsOf(problems)).toEqual([]);
    const [first] = cases;
    return Object.fromEntries(first?.rows[0]?.requests ?? []);
  };
  /** The only request of a case that asks about the status. */
  const requestOf = (request: string): HttpRequest =>
    requestsOf(question('response-status', `    request: ${request}\n    value: { take: status }`))
      .request as HttpRequest;
  const bodyOf = (request: HttpRequest | undefined) => JSON.parse(request?.body ?? 'null');
  const id = (kind: 'customer' | 'product' | 'campaign', name: string) => world.ids[kind].get(name) as string;

  test('the base request as it is: documented method, path, headers, and the base’s body with ids', () => {
    expect(requestOf('{}')).toEqual({
      method: 'GET',
      path: '/v1/promotions/validation',
      headers: [
        ['X-Client-Application-Id', '$CLIENT_APPLICATION_ID'],
        ['X-Client-Token', '$CLIENT_TOKEN'],
        ['Content-Type', 'application/json'],
      ],
      body: JSON.stringify({
        customer: { id: id('customer', 'ordinary') },
        order: { items: [{ product_id: id('product', 'mug'), quantity: 1 }], metadata: {} },
        options: {},
        metadata: {},
      }),
    });
  });

  const queries: readonly (readonly [what: string, query: string, sent: string])[] = [
    ['names as written, values percent-encoded', '{ "[a][$is]": "b c&d=é/+" }', '[a][$is]=b%20c%26d%3D%C3%A9%2F%2B'],
    ['a list as a repeated parameter', '{ a: ["1", "2"], b: "3" }', 'a=1&a=2&b=3'],
    ['an empty value', '{ a: "" }', 'a='],
    ['a reference in a value', '{ a: <campaign spring> }', `a=${id('campaign', 'spring')}`],
    [
      'a whole query string, literally',
      '"[a]=b c&a%20=<campaign spring>&&="',
      `[a]=b c&a%20=${id('campaign', 'spring')}&&=`,
    ],
  ];
  for (const [what, query, sent] of queries) {
    test(`a query: ${what}`, () => {
      expect(requestOf(`{ query: ${query} }`).path).toBe(`/v1/promotions/validation?${sent}`);
    });
  }

  const bodies: readonly (readonly [
    what: string,
    request: string,
    body: (request: HttpRequest) => unknown,
    sent: unknown,
  ])[] = [
    [
      'members merged at every depth',
      '{ body: { order: { metadata: { a: [b] } } } }',
      (r) => bodyOf(r).order,
      { items: [{ product_id: id('product', 'mug'), quantity: 1 }], metadata: { a: ['b'] } },
    ],
    ['lists replaced', '{ body: { order: { items: [] } } }', (r) => bodyOf(r).order.items, []],
    ['null in place of an object', '{ body: { order: null } }', (r) => bodyOf(r).order, null],
    ['a list in place of the body', '{ body: [1, <customer ann>] }', bodyOf, [1, id('customer', 'ann')]],
    [
      'a long list of equal items',
      '{ body: { order: { items: { repeat: 3, item: { sku_id: a } } } } }',
      (r) => bodyOf(r).order.items,
      [{ sku_id: 'a' }, { sku_id: 'a' }, { sku_id: 'a' }],
    ],
    [
      'raw text, with references',
      '{ raw: "{\\"id\\": \\"<customer ann>\\"" }',
      ({ body }) => body,
      `{"id": "${id('customer', 'ann')}"`,
    ],
    [
      'without a member',
      '{ without: [body.order.items, body.customer] }',
      bodyOf,
      { order: { metadata: {} }, options: {}, metadata: {} },
    ],
    ['without a body', '{ without: [body] }', ({ body }) => body, undefined],
    [
      'without a header',
      '{ without: [headers.Content-Type, headers.X-Client-Token] }',
      ({ headers }) => headers,
      [['X-Client-Application-Id', '$CLIENT_APPLICATION_ID']],
    ],
    [
      'a header in place of another, and one more than once',
      '{ headers: { Content-Type: text/plain, Accept-Language: [de, en] } }',
      ({ headers }) => headers.slice(2),
      [
        ['Content-Type', 'text/plain'],
        ['Accept-Language', 'de'],
        ['Accept-Language', 'en'],
      ],
    ],
    ['another method and path', '{ method: POST, path: /V1 }', ({ method, path }) => [method, path], ['POST', '/V1']],
  ];
  test(
    'the requests of a case, each as it is sent',
    checkEachRow(bodies, (_, request, part, sent) => {
      expect(part(requestOf(request))).toEqual(sent);
    }),
  );

  test('a request like an earlier one, and without some of its query', () => {
    const { first, second, third } = requestsOf(
      question(
        'response-status',
        `    requests:
      first: { query: { a: "1", b: "2" }, body: { customer: { id: <customer ann> } } }
      second: { like: first, without: [query.a] }
      third: { like: second, without: [query], body: { options: { expand: [category] } } }
    value: { of: first, take: status }`,
      ),
    );
    expect(first?.path).toContain('?a=1&b=2');
    expect(second?.path).toMatch(/validation\?b=2$/);
    expect(third?.path).toMatch(/validation$/);
    expect(second?.body).toBe(first?.body);
    expect(bodyOf(third)).toMatchObject({ customer: { id: id('customer', 'ann') }, options: { expand: ['category'] } });
  });

  test('parameters in place of a literal query string, and the reverse', () => {
    const { literal, named, again } = requestsOf(
      question(
        'response-status',
        `    requests:
      literal: { query: "a=1" }
      named: { like: literal, query: { b: "2" } }
      again: { like: named, query: "c=3" }
    value: { of: literal, take: status }`,
      ),
    );
    expect([literal, named, again].map((request) => request?.path.split('?')[1])).toEqual(['a=1', 'b=2', 'c=3']);
  });

  test('filters, after the parameters of the query, in place of those of the same name, and gone with the query', () => {
    const { plain, both, other, none } = requestsOf(
      question(
        'response-status',
        `    requests:
      plain: { filter: { campaign: spring } }
      both: { filter: { metadata.level: gold & silver, campaign: summer }, query: { a: "1" } }
      other: { like: plain, filter: { campaign: summer, metadata.a.b: "" } }
      none: { like: both, without: [query] }
    value: { of: plain, take: status }`,
      ),
    );
    const campaign = (name: string) => `[filters][promotion_id][conditions][$is]=${id('campaign', name)}`;
    expect([plain, both, other, none].map((request) => request?.path.split('?')[1])).toEqual([
      campaign('spring'),
      `a=1&[filters][metadata.level][conditions][$is]=gold%20%26%20silver&${campaign('summer')}`,
      `${campaign('summer')}&[filters][metadata.a.b][conditions][$is]=`,
      undefined,
    ]);
  });

  test.describe('a selection:', () => {
    /** Valid for customer ordinary with one mug; of the tier credit-card the documentation leaves it open. */
    const isValid = ({ rules }: Tier) =>
      rules.every((rule) => rule.kind === 'product' && rule.id === id('product', 'mug') && rule.at_least === 1);
    const isOpen = ({ name }: Tier) => name === 'credit-card';
    const ofSpring = ({ campaign_id }: Tier) => campaign_id === id('campaign', 'spring');
    const among150 = (rank: number) => rank <= 150;

    const selections: readonly (readonly [
      said: string,
      request: string,
      wanted: (tier: Tier, rank: number) => boolean,
    ])[] = [
      ['include: [for-ann, greeting]', '{}', (_, rank) => rank <= 2],
      ['exclude: for-ann', '{}', (_, rank) => rank === 2],
      ['only: [for-ann, greeting]', '{}', (_, rank) => rank > 2],
      ['include: required', '{}', (tier, rank) => isValid(tier) && among150(rank)],
      ['exclude: forbidden', '{}', (tier, rank) => !(isValid(tier) || isOpen(tier)) || !among150(rank)],
      ['only: required', '{}', (tier, rank) => !(isValid(tier) || isOpen(tier)) || !among150(rank)],
      ['include: valid', '{}', (tier) => isValid(tier)],
      ['only: valid', '{}', (tier) => !isValid(tier) && !isOpen(tier)],
      ['include: newest-150', '{}', (_, rank) => among150(rank)],
      ['only: newest-150', '{}', (_, rank) => !among150(rank)],
      ['include: matching', '{}', () => true],
      ['include: matching', '{ filter: { campaign: spring } }', ofSpring],
      ['only: matching', '{ filter: { campaign: spring } }', (tier) => !ofSpring(tier)],
      // Whether older tiers are checked where a filter is sent is open.
      [
        'include: required',
        '{ filter: { campaign: spring } }',
        (tier, rank) => ofSpring(tier) && isValid(tier) && among150(rank),
      ],
      [
        'exclude: forbidden',
        '{ filter: { campaign: spring } }',
        (tier) => !ofSpring(tier) || !(isValid(tier) || isOpen(tier)),
      ],
    ];
    for (const [said, request, wanted] of selections) {
      test(`${said}, of ${request}`, () => {
        const { cases, problems } = read(
          question(
            'result-order',
            `    request: ${request}
    outcomes:
      - { outcome: newest-first, when: { returned: { ${said} } } }
      - { outcome: oldest-first, when: { status: 2xx } }
      - { outcome: another-order, when: { status: 2xx } }`,
          ),
        );
        expect(textsOf(problems)).toEqual([]);
        const [first] = cases;
        const answer = first?.kind === 'question' ? first.answer : undefined;
        const rule = answer?.kind === 'first-of' ? answer.rules[0] : undefined;
        const tiers = world.tiers.filter((tier, index) => wanted(tier, index + 1)).map((tier) => tier.id);
        expect(tiers).not.toEqual([]);
        expect(rule?.when).toMatchObject([{ kind: `returned.${said.split(':')[0]}`, data: { tiers } }]);
      });
    }
  });

  test('a matrix: any two variants meet in a row; each variant changes the requests that it names, or every one', () => {
    const { cases, problems } = read(
      requirement(`    requests: { one: {}, two: { again: 1 } }
    matrix:
      customer:
        ann: { every: { body: { customer: { id: <customer ann> } } } }
        ben: { every: { body: { customer: { id: <customer ben> } } } }
      items:
        as they are: {}
        two in the second: { two: { body: { order: { items: [{ product_id: <product mug>, quantity: 2 }] } } } }
        both: { every: { filter: { campaign: spring } }, two: { without: [query] } }
    expect:
      - { of: [one, two], status: 2xx }`),
    );
    expect(textsOf(problems)).toEqual([]);
    const rows = (cases[0] as RequirementCase).rows.map(({ title, requests }) => [
      title,
      ...[...requests.values()].map((request) => {
        const { customer, order } = bodyOf(request);
        const name = customer.id === id('customer', 'ann') ? 'ann' : 'ben';
        return `${name} ${order.items[0].quantity}${request.path.includes('?') ? ' query' : ''}`;
      }),
    ]);
    expect(rows).toEqual([
      ['ann, as they are', 'ann 1', 'ann 1'],
      ['ann, two in the second', 'ann 1', 'ann 2'],
      ['ann, both', 'ann 1 query', 'ann 1'],
      ['ben, as they are', 'ben 1', 'ben 1'],
      ['ben, two in the second', 'ben 1', 'ben 2'],
      ['ben, both', 'ben 1 query', 'ben 1'],
    ]);
  });

  test('a matrix of many axes has few rows, in which any two variants of two axes meet', () => {
    const quantities = [1, 2, 3];
    const axis = (product: string) =>
      quantities
        .map((n) => `        ${n}: { every: { body: { order: { metadata: { ${product}: ["${n}"] } } } } }`)
        .join('\n');
    const names = ['mug', 'plate', 'lamp', 'chair'];
    const { cases, problems } = read(
      requirement(`    request: {}
    matrix:
${names.map((name) => `      ${name}:\n${axis(name)}`).join('\n')}
    expect: [{ status: 2xx }]`),
    );
    expect(textsOf(problems)).toEqual([]);
    const titles = (cases[0] as RequirementCase).rows.map(({ title }) => title.split(', '));
    expect(titles.length).toBeLessThan(20);
    for (const one of names.keys())
      for (const other of names.keys())
        if (one < other) expect(new Set(titles.map((title) => `${title[one]} ${title[other]}`)).size).toBe(9);
  });

  test('an axis that several cases share is each case’s own', () => {
    const { cases, problems } = read(`
axes:
  whoever-asks:
    ann: { every: { body: { customer: { id: <customer ann> } } } }
    ben: { two: { body: { customer: { id: <customer ben> } } } }
${requirement(`    requests: { one: {}, two: { again: 1 } }
    matrix:
      who: whoever-asks
      options:
        none: {}
        expand: { every: { body: { options: { expand: [category] } } } }
    expect:
      - { of: [one, two], status: 2xx }
  - id: two
    verifies: order.quantity
    title: Two
    requests: { two: {} }
    matrix: { who: whoever-asks }
    expect: [{ status: 2xx }]`)}`);
    expect(textsOf(problems)).toEqual([]);
    const customersOf = ({ requests }: { readonly requests: ReadonlyMap<string, HttpRequest> }) =>
      [...requests.values()].map((request) => bodyOf(request).customer.id);
    const [ordinary, ann, ben] = ['ordinary', 'ann', 'ben'].map((name) => id('customer', name));
    expect(cases.map(({ rows }) => rows.map((row) => [row.title, ...customersOf(row)]))).toEqual([
      [
        ['ann, none', ann, ann],
        ['ann, expand', ann, ann],
        ['ben, none', ordinary, ben],
        ['ben, expand', ordinary, ben],
      ],
      [
        ['ann', ann],
        ['ben', ben],
      ],
    ]);
  });

  test.describe('shared requests, preconditions, outcomes and evidence:', () => {
    const shared = `
base: { body: {} }
shared:
  requests: { plain: {} }
  given: [{ of: plain, status: 2xx }]
  evidence: probe
  outcomes:
    - { outcome: rejected, when: { of: probe, status: 4xx } }
    - { outcome: server-error, when: { of: probe, status: 5xx } }
    - { outcome: no-such-outcome-here, when: { of: probe, status: 3xx } }
    - { outcome: answered, when: { of: probe, status: 2xx } }
cases:
  - answers: malformed-json
    title: One
    requests: { probe: { raw: "{" } }`;
    const answerOf = (rest: string) => {
      const { cases, problems } = read(`${shared}\n${rest}`);
      expect(textsOf(problems)).toEqual([]);
      const [first] = cases;
      if (first?.kind !== 'question' || first.answer.kind !== 'first-of') throw new Error('It is a question.');
      const { rows, answer } = first;
      return {
        row: rows[0],
        evidence: answer.evidence,
        rules: answer.rules.map((rule) => [rule.outcome, rule.when.length]),
      };
    };

    test('they come before a case’s own, and only where they fit', () => {
      const { row, rules, evidence } = answerOf(`    given: [{ of: probe, status: [4xx, 2xx] }]
    evidence: plain
    outcomes:
      - outcome: answered
        when: { of: probe, status: 2xx }
      - outcome: rejected
        when: [{ of: probe, status: 400 }, { of: probe, body: { empty: true } }]`);
      expect([...row.requests.keys()]).toEqual(['plain', 'probe']);
      expect(row.given).toHaveLength(2);
      expect(rules).toEqual([
        ['server-error', 1],
        ['answered', 1],
        ['rejected', 2],
      ]);
      expect(evidence).toBe('plain');
    });

    test('they do for a case without its own', () => {
      const { rules, evidence } = answerOf('');
      expect(rules).toEqual([
        ['rejected', 1],
        ['server-error', 1],
        ['answered', 1],
      ]);
      expect(evidence).toBe('probe');
    });

    test('a case that only names an outcome has the shared rule tried at that place', () => {
      const { rules } = answerOf('    outcomes: [{ outcome: server-error }, { outcome: rejected }]');
      expect(rules.map(([outcome]) => outcome)).toEqual(['answered', 'server-error', 'rejected']);
    });
  });
});
