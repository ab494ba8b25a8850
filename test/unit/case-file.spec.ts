import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { readCaseFile } from '../../src/cases/case-file.js';
import type { TestCase } from '../../src/cases/test-case.js';
import { parseContract } from '../../src/contract/contract.js';
import type { HttpRequest } from '../../src/http/exchange.js';
import { loadSuite, packageCasesFolder } from '../../src/suite/suite.js';
import type { Problem } from '../../src/support/problem.js';
import { parseYaml } from '../../src/support/yaml-file.js';
import { checkEachRow } from '../support/check-each-row.js';
import { suite } from '../support/in-process.js';
import { getLocation, listProblems, parseMarked } from '../support/marked.js';

const { world } = suite;

const indent = (lines: readonly string[]) => lines.map((line) => `    ${line}`).join('\n');

/** A case file with one case of a requirement. */
const requirement = (...lines: string[]) =>
  `cases:\n  - id: one\n    verifies: order.quantity\n    title: One\n${indent(lines)}`;

/** A case file with a request and what is expected of it. */
const asking = (request: string, expectation: string) => requirement(`request: ${request}`, `expect: [${expectation}]`);

/** A case file with one case of a question. */
const question = (answers: string, ...lines: string[]) =>
  `cases:\n  - answers: ${answers}\n    title: One\n${indent(lines)}`;

/** A case file that sends a request and records the status. */
const statusOf = (request: string) => question('response-status', `request: ${request}`, 'value: { take: status }');

const inWinter = '{ filter: { campaign: winter } }';
const rulesOnly = '{ query: { audienceRulesOnly: "true" } }';
const twoRequests = 'requests: { one: {}, two: { again: 1 } }';
const succeeds = 'expect: [{ status: 2xx }]';

/** A case file with one case that has several rows. */
const varied = (rows: string, expectation = succeeds) => requirement('request: {}', `rows: ${rows}`, expectation);

function read(yaml: string): { cases: TestCase[]; problems: Problem[] } {
  return readCaseFile(parseYaml(yaml, 'cases.yaml'), suite);
}

/** A file in which `▸` marks the locations of the problems, and what each message and hint must contain. */
type Mistake = readonly [what: string, yaml: string, ...contained: RegExp[]];

function refuses(mistakes: readonly Mistake[], load = (yaml: string): readonly Problem[] => read(yaml).problems): void {
  checkEachRow(mistakes, (_, yaml, ...contained) => {
    const { text, places } = parseMarked(yaml);
    const problems = load(text);
    const texts = problems.map(({ message, hint = '' }) => `${message} → ${hint}`);
    expect(texts).toEqual(contained.map((pattern) => expect.stringMatching(pattern)));
    expect(problems.map(getLocation).map(({ line, column }) => ({ line, column }))).toEqual(places);
  });
}

test('a file that does not match the schema is refused at its location', () => {
  refuses([
    ['an empty file', '▸', /must be object/],
    ['an unknown key of a case', requirement('request: {}', '▸expext: []', succeeds), /'expext'.*'expect'/],
    ['an unknown key of a check', asking('{}', '{ ▸something-else: 1 }'), /'something-else'.*accepted/],
    ['a template that uses a template', `templates: { a: { ▸use: b }, b: {} }\n${statusOf('{}')}`, /'use'/],
    [
      'a case that neither verifies nor answers',
      'cases:\n  - ▸▸▸title: One',
      /lacks the key 'id'/,
      /lacks the key 'verifies'/,
      /lacks the key 'expect'/,
    ],
    [
      'outcomes beside a value',
      question('response-status', 'request: {}', 'value: { take: status }', '▸outcomes: [{ outcome: a }]'),
      /'outcomes'/,
    ],
    ['an unknown tag', requirement('tags: [▸instrusive]', 'request: {}', succeeds), /'instrusive'.*'intrusive'/],
    ['an invalid name', requirement('requests: { ▸The Other: {} }', succeeds), /'The Other'.*Lower-case/],
  ]);
});

test('an unknown name is refused at its location', () => {
  const repeated = (first: string) =>
    question(
      'repeatability',
      twoRequests,
      'evidence: two',
      'outcomes:',
      `  - { outcome: identical, when: ${first} }`,
      '  - { outcome: same-promotions, when: { of: two, returned: { same-as: one } } }',
      '  - { outcome: different-promotions, when: { of: two, returned: { differs-from: one } } }',
    );
  const base = 'base: { body: { customer: { id: ▸<customer anm> } } }';
  refuses([
    ['of a customer in the base', `${base}\n${statusOf('{}')}`, /'anm'.*'ann'/],
    ['of a kind', statusOf('{ headers: { A: ▸<custmer ann> } }'), /'custmer'.*'customer'/],
    ['of a tier in a text', repeated('{ of: two, body: { mentions: [▸<tier greting>] } }'), /'greting'.*'greeting'/],
    ['of a requirement', asking('{}', '{ status: 2xx }').replace('order.', '▸ordr.'), /'ordr\.q.*'order\.quantity'/],
    ['of a question', statusOf('{}').replace('response', '▸respons'), /'respons-status'.*'response-status'/],
    ['of a tier', asking('{}', '{ returned: { include: [greeting, ▸grreting] } }'), /'grreting'.*'greeting'/],
    ['a selection', asking('{}', '{ returned: { include: required, exclude: ▸forbiden } }'), /'forbiden'.*'forbidden'/],
    ['of a template', `templates: { b: {} }\n${statusOf('{ use: ▸a }')}`, /'a'/],
    ['of a request in a check', requirement(twoRequests, 'expect: [{ of: [one, ▸tow], status: 2xx }]'), /'tow'.*'two'/],
    [
      'of a request in like, if it comes later',
      requirement('requests: { one: { like: ▸two }, two: { again: 1 } }', 'expect: [{ of: one, status: 2xx }]'),
      /'two'/,
    ],
    ['of a request in a row', varied('{ a: {}, b: { ▸evry: {} } }'), /'evry'.*'every'/],
    ['of a request to compare with', repeated('{ of: two, body: { same-as: ▸oen } }'), /'oen'.*'one'/],
    [
      'of the request that is the evidence',
      repeated('{ of: two, body: { same-as: one } }').replace('evidence: two', 'evidence: ▸tow'),
      /'tow'.*'two'/,
    ],
    ['of a template in a row', varied('{ a: {}, b: { every: { use: ▸c } } }'), /'c'/],
  ]);
});

test('rules that do not fit the question are refused at its location', () => {
  const order = ['newest-first', 'oldest-first', 'another-order'];
  const ruled = (...outcomes: string[]) =>
    question(
      'result-order',
      'requests: { one: {} }',
      'outcomes:',
      ...outcomes.map((outcome) => `  - { outcome: ${outcome}, when: { of: one, status: 2xx } }`),
    );
  refuses([
    ['an unknown outcome', ruled(...order, '▸newest-frst'), /'newest-frst'.*'newest-first'/],
    [
      'an outcome without a rule',
      question('result-order', 'request: {}', 'outcomes: ▸[{ outcome: newest-first, when: { status: 2xx } }]'),
      /'oldest-first', 'another-order'/,
    ],
    [
      'an outcome without a rule of its own or a shared one',
      `${ruled(...order.slice(1))}\n      - ▸outcome: newest-first`,
      /'newest-first'.*'when:'/,
    ],
    [
      'no outcomes, for an open value',
      question('response-status', 'request: {}').replace('answers', '▸answers'),
      /'response-status'.*'value:'/,
    ],
    ['a value, for named outcomes', question('result-order', 'request: {}', 'value: ▸{ take: status }'), /'outcomes:'/],
  ]);
});

test('requests and checks without effect, or with two meanings, are refused at its location', () => {
  refuses([
    ['a case without a request', requirement('expect: [{ status: 2xx }]').replace('id', '▸id'), /'request: \{\}'/],
    ['body and raw in one request', statusOf('{ ▸body: {}, raw: "{" }'), /'body'/],
    ['a literal query and a filter', statusOf('{ query: "a=1", ▸filter: { campaign: spring } }'), /'filter'/],
    [
      'two requests that are equal in each row',
      requirement(
        'requests: { one: {}, two: {}, three: { again: 1 } }',
        'rows: { a: {}, b: { every: { sent: in-pieces } } }',
        'expect: [{ of: one, status: 2xx }]',
      ).replace('id', '▸id'),
      /'one' and 'two'.*'again: 1'/,
    ],
    ['a check that states nothing', asking('{}', '{ status: 2xx }, ▸{ of: request }'), /nothing/],
    ['a removed member that is not there', statusOf('{ without: ▸[body.ordr.metadata] }'), /'body\.ordr\.metadata'/],
    ['a removed header that is not there', statusOf('{ without: ▸[headers.content-typ] }'), /'headers\.content-typ'/],
    ['a removed parameter that is not there', statusOf('{ without: ▸[query.a] }'), /'query\.a'/],
    [
      'a removed member whose name has a dot, as one path',
      statusOf('{ body: { metadata: { level.1: gold } }, without: ▸[body.metadata.level.1] }'),
      /list of names/,
    ],
    ['a form of JSON for a body that is none', statusOf('▸{ raw: "{", sent: members-reversed }'), /needs a JSON body/],
    ['a form of JSON beside another one', statusOf('▸{ raw: "{", sent: [chunked, pretty-printed] }'), /pretty-printed/],
    ['escaped letters of a body that is no JSON', statusOf('▸{ raw: "x", sent: with-escaped-letters }'), /JSON body/],
    [
      'another encoding of a query that has none',
      statusOf('▸{ query: "a=%", sent: values-percent-encoded-in-lower-case }'),
      /percent-encoded query/,
    ],
    ['half of a character in a query', statusOf('▸{ filter: { metadata.level: "\\ud800" } }'), /surrogate/],
    ['rows whose titles are numbers', varied('{ ▸"10": {}, two: { request: { again: 1 } } }'), /title/],
    ['a check without a request', requirement(twoRequests, 'expect: [▸{ status: 2xx }]'), /'of:' with one of one, two/],
  ]);
});

test('an expectation that could fail a conforming deployment, or pass on nothing, is refused at its location', () => {
  const marked = (request: string, expectation: string) => asking(request, expectation).replace('id', '▸id');
  const comparing = (requests: string, expectation: string) =>
    requirement(`requests: { ${requests} }`, `expect: [{ of: one, ${expectation} }]`);
  const items = (list: string) => `{ body: { order: { items: [${list}] } } }`;
  const mug = (quantity: string) => `{ product_id: <product mug>, quantity: ${quantity} }`;
  const control = /needs a positive control/;

  refuses([
    ['a tier beyond the window', asking('{}', '{ returned: { ▸include: beyond-first } }'), /'beyond-first'/],
    ['a tier for another customer', asking('{}', '{ returned: { ▸include: for-ben } }'), /'for-ben'/],
    ['the absence of a valid tier', asking('{}', '{ returned: { include: greeting, ▸exclude: mug-1 } }'), /'mug-1'/],
    [
      'a tier with an order-metadata rule',
      asking(
        '{ body: { order: { metadata: { payment_mean: [credit-card] } } } }',
        '{ returned: { ▸include: credit-card } }',
      ),
      /'credit-card'/,
    ],
    [
      'how quantities add up',
      asking(items(`${mug('1')}, ${mug('2')}`), '{ returned: { ▸include: mug-3 } }'),
      /'mug-3'/,
    ],
    [
      'a result under audienceRulesOnly',
      asking(rulesOnly, '{ returned: { ▸include: greeting } }'),
      /audienceRulesOnly/,
    ],
    [
      'two filters being accepted',
      asking('{ filter: { campaign: spring, metadata.level: gold } }', '{ ▸status: 2xx }'),
      /several filters/,
    ],
    ['an omitted member being accepted', asking('{ without: [body.order] }', '{ ▸status: 2xx }'), /order/],
    [
      'a numeric string as quantity',
      marked(items(mug('"1"')), '{ returned: { ▸include: mug-1 } }'),
      /\/body\/order\/items\/0\/quantity/,
      /\/body\/order\/items\/0\/quantity/,
    ],
    [
      'an undocumented request to compare with',
      comparing(`one: {}, two: ${items(mug('"1"'))}`, 'returned: { ▸differs-from: two }').replace('id', '▸id'),
      /\/body\/order\/items\/0\/quantity/,
      /./,
    ],
    ['another method', marked('{ method: POST }', '{ ▸status: 2xx }'), /\/method/, /\/method/],
    ['a status code', asking('{}', '{ ▸status: 200 }'), /2xx/],
    ['success if nothing is valid', asking(inWinter, '{ ▸status: 2xx }'), /empty result.*or-empty-like/],
    ['the body', asking('{}', '{ body: { ▸empty: true } }'), /'body\.empty'/],
    ['alternatives', asking('{}', '{ ▸any-of: [{ status: 2xx }, { status: 4xx }] }'), /alternatives/],
    ['only some valid tiers', asking('{}', '{ returned: { include: greeting, ▸only: [greeting] } }'), /'for-ann'/],
    [
      'a difference of equal requests',
      comparing('one: {}, two: { again: 1 }', 'returned: { ▸differs-from: two }'),
      /'one'.*'two'/,
    ],
    ['an absence without a control', asking('{}', '{ returned: { ▸exclude: for-ben } }'), control],
    [
      'an absence with a control of another request',
      requirement(
        twoRequests,
        'expect: [{ of: one, returned: { include: greeting } }, { of: two, returned: { ▸exclude: for-ben } }]',
      ),
      control,
    ],
    [
      'an absence in a possibly empty result without a control',
      asking(inWinter, '{ returned: { ▸only: matching } }'),
      /needs a positive control.*'given:'/,
    ],
    [
      'acceptance like a request with more items',
      comparing(`one: {}, more: ${items(`${mug('1')}, ${mug('1')}`)}`, '▸accepted: { wherever: more }'),
      /'one'.*'more'/,
    ],
    ['a status under audienceRulesOnly', asking(rulesOnly, '{ ▸status: 2xx }'), /audienceRulesOnly/],
    [
      'an empty result like one that may not be empty',
      comparing('one: { query: { audienceRulesOnly: "true" } }, other: {}', '▸accepted: { or-empty-like: other }'),
      /'other'/,
    ],
    [
      'nothing in a row',
      varied(
        '{ a: {}, b: { every: { filter: { campaign: winter } } } }',
        'expect: [{ returned: { include: required } }]',
      ).replace('id', '▸id'),
      /expects nothing \(row 'b'\)/,
    ],
  ]);
});

test('A request that no assertion is about may be undocumented: it only comes before the others', () => {
  const refused = 'refused: { body: { options: { expand: 1 } } }';
  const lines = [`requests: { ${refused}, probe: {} }`, 'expect: [{ of: probe, returned: { include: greeting } }]'];
  expect(read(requirement(...lines)).problems).toEqual([]);
});

test('a contract with a mistake is refused at its location', () => {
  const statement = '{ id: a.b, part: Limits, statement: Text. }';
  const outcomes = 'outcomes: { one: A., other: B. }';
  const contractWith = (rest: string, requirements = statement) =>
    `requirements: [${requirements}]\nquestions:\n  - { id: some-question, part: Limits, group: G, open: Text., ${rest} }
groups: [{ name: G, asks: Text? }]\nexclusions: []
common_outcomes: { rejected: { sentence: <subject> is rejected. } }`;
  refuses(
    [
      ['an unknown key', contractWith(`${outcomes}, ▸wran: [one]`), /'wran'.*'warn'/],
      ['an unknown part', contractWith(outcomes, statement.replace('Limits', '▸Limit')), /'Limit'.*'Limits'/],
      ['outcomes and a value', contractWith(`${outcomes}, value: Text.`).replace('{ id: some', '▸{ id: some'), /oneOf/],
      [
        'no sentence, and no common one',
        contractWith('subject: A, outcomes: { rejected: , other: ▸}'),
        /outcome 'other'/,
      ],
      ['a common sentence, and no subject', contractWith('outcomes: { rejected: ▸, other: B. }'), /outcome 'rejected'/],
      ['undetermined as an outcome', contractWith('outcomes: { one: A., ▸undetermined: B. }'), /'undetermined'/],
    ],
    (yaml) => listProblems(() => parseContract(parseYaml(yaml, 'contract.yaml'))),
  );
});

test('An outcome without a sentence has the common one, about the subject of its question', () => {
  const rejected = {
    sentence: '<subject> is rejected.',
    beside: { outcomes: ['known'], sentence: '<subject> is bad.' },
  };
  const question = { id: 'some-question', part: 'Limits', group: 'G', open: 'Text.', subject: 'A $& quantity' };
  const document = {
    requirements: [{ id: 'a.b', part: 'Limits', statement: 'Text.' }],
    groups: [{ name: 'G', asks: 'Text?' }],
    exclusions: [],
    common_outcomes: { rejected },
    questions: [
      { ...question, outcomes: { rejected: null, other: 'B.' } },
      { ...question, outcomes: { known: 'C.', rejected: null } },
    ],
  };
  const { questions } = parseContract(parseYaml(JSON.stringify(document), 'contract.yaml'));
  const sentences = questions.map(({ answer }) => answer.kind === 'outcomes' && Object.fromEntries(answer.outcomes));
  expect(sentences).toEqual([
    { rejected: 'A $& quantity is rejected.', other: 'B.' },
    { known: 'C.', rejected: 'A $& quantity is bad.' },
  ]);
});

test('The contract names each id once, and refers to groups and outcomes that it has', () => {
  const { requirements, questions, groups } = suite.contract;
  const ids = [...requirements, ...questions].map(({ id }) => id);
  expect(ids.filter((id, n) => ids.indexOf(id) < n)).toEqual([]);
  expect(groups.map(({ name }) => name)).toEqual(expect.arrayContaining(questions.map(({ group }) => group)));
  for (const { answer } of questions)
    if (answer.kind === 'outcomes')
      expect([...answer.outcomes.keys()]).toEqual(expect.arrayContaining([...answer.warn]));
});

test('invalid YAML is refused at its location', () => {
  const parse = (yaml: string) => listProblems(() => parseYaml(yaml, 'cases.yaml'));
  const duplicate = 'cases:\n  - title: One\n    ▸title: Two';
  refuses(
    [
      ['a duplicate key', duplicate, /Map keys must be unique/],
      ['an alias without an anchor', '▸a: 1\nb: *a', /Unresolved alias/],
      ['two documents', 'a: 1\n▸---\na: 2', /multiple documents/],
    ],
    parse,
  );
  expect(parse('cases: [1, 2\nmore: x')[0]?.at).toEqual({ file: 'cases.yaml', line: 2, column: 1 });
  const expanding = [...'bcdefgh'].map((key, n) => `${key}: &${key} [${`*${'abcdefg'[n]}, `.repeat(4)}]`);
  expect(parse(['a: &a [x, x, x, x]', ...expanding].join('\n'))[0]?.message).toContain('Excessive alias count');
});

test.describe('a folder', () => {
  /** Writes a suite with a case of one requirement and a case of one question, and more files. */
  function writeSuite(files: Readonly<Record<string, string>>): string {
    const folder = test.info().outputPath('cases');
    for (const name of ['contract.yaml', 'world.yaml', 'defaults.yaml'])
      cpSync(path.join(packageCasesFolder, name), path.join(folder, name));
    const written: Readonly<Record<string, string>> = {
      'requirements/good.yaml': asking('{}', '{ returned: { include: mug-1 } }'),
      'questions/good.yaml': statusOf('{}'),
      ...files,
    };
    for (const [name, text] of Object.entries(written)) {
      mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
      writeFileSync(path.join(folder, name), text);
    }
    return folder;
  }

  /** Lists the problems of a folder, each as FILE:LINE:COLUMN: MESSAGE. */
  const listLocated = (files: Readonly<Record<string, string>>) => {
    const folder = writeSuite(files);
    return listProblems(() => loadSuite(folder)).map((problem) => {
      const { file, line, column } = getLocation(problem);
      return `${path.relative(folder, path.resolve(file))}:${line}:${column}: ${problem.message}`;
    });
  };

  test('is loaded with all its subfolders, and with the requests for calibration', () => {
    const { cases, calibration } = loadSuite(
      writeSuite({
        'questions/good.yaml': statusOf('{}').replace('title', 'tags: [calibration]\n    title'),
        'requirements/deep/er.yaml': asking('{}', '{ status: 2xx }').replace('one', 'deep'),
      }),
    );
    expect(cases.map(({ id }) => id)).toEqual(['deep', 'one', 'response-status']);
    expect(calibration.map((request) => request.path)).toEqual(['/v1/promotions/validation']);
  });

  test('is refused with the problems of all case files', () => {
    const twice = asking('{}', '{ returned: { include: mug-1 } }');
    expect(
      listLocated({
        'requirements/a.yaml': 'cases:\n  - title: x\n  title: y',
        'requirements/b.yaml': `${twice}\n${twice.replace('cases:\n', '').replace('order.', 'a.')}`,
        'questions/c.yaml': 'casse: []',
      }),
    ).toEqual([
      expect.stringMatching(/^requirements\/a.yaml:3:1: /),
      expect.stringMatching(/^requirements\/b.yaml:8:15: .*'a\.quantity'/),
      expect.stringMatching(/^questions\/c.yaml:1:1: .*'cases'/),
      expect.stringMatching(/^questions\/c.yaml:1:1: .*'casse'/),
    ]);
    expect(
      listLocated({
        'requirements/a.yaml': twice,
        'requirements/b.yaml': twice,
        'questions/c.yaml': statusOf('{}'),
      }),
    ).toEqual([
      expect.stringMatching(/^requirements\/b.yaml:2:5: .*'one'/),
      expect.stringMatching(/^requirements\/good.yaml:2:5: .*'one'/),
      expect.stringMatching(/^questions\/good.yaml:2:5: .*'response-status'/),
    ]);
  });

  test('is refused with the problems of contract, world and YAML, and without those that follow from them', () => {
    const files = { 'contract.yaml': 'requirements: []', 'world.yaml': 'tiers: 3', 'questions/c.yaml': 'a: [' };
    const names = listLocated(files).map((problem) => problem.split(':')[0]);
    expect([...new Set(names)]).toEqual(['contract.yaml', 'world.yaml', 'questions/c.yaml']);
    const withoutContract = listLocated({ 'contract.yaml': 'requirements: []', 'questions/c.yaml': 'casse: []' });
    expect(withoutContract.filter((problem) => !problem.startsWith('contract.yaml'))).toEqual([]);
  });
});

test.describe('a request is sent', () => {
  const requestsOf = (yaml: string): Record<string, HttpRequest> => {
    const { cases, problems } = read(yaml);
    expect(problems).toEqual([]);
    return Object.fromEntries(cases[0]?.rows[0]?.requests ?? []);
  };
  const requestOf = (request: string): HttpRequest => requestsOf(statusOf(request)).request as HttpRequest;
  const severalOf = (...requests: string[]) => {
    const [first = ''] = requests[0]?.split(':') ?? [];
    const lines = requests.map((request) => `  ${request}`);
    return requestsOf(question('response-status', 'requests:', ...lines, `value: { of: ${first}, take: status }`));
  };
  const queryOf = (request: HttpRequest | undefined) => request?.path.split('?')[1];
  const bodyOf = (request: HttpRequest | undefined) => JSON.parse(request?.body ?? 'null');
  const id = (kind: 'customer' | 'product' | 'campaign', name: string) => world.ids[kind].get(name) as string;

  test('as documented, with the default body and ids', () => {
    expect(requestOf('{}')).toEqual({
      method: 'GET',
      path: '/v1/promotions/validation',
      headers: [
        ['X-Client-Application-Id', '$CLIENT_APPLICATION_ID'],
        ['X-Client-Token', '$CLIENT_TOKEN'],
        ['Content-Type', 'application/json'],
      ],
      body: JSON.stringify({
        customer: { id: id('customer', 'ann') },
        order: { items: [{ product_id: id('product', 'mug'), quantity: 1 }], metadata: {} },
        options: {},
        metadata: {},
      }),
    });
  });

  type Row = readonly [what: string, request: string, part: (request: HttpRequest) => unknown, sent: unknown];
  const requests: readonly Row[] = [
    [
      'query names and values percent-encoded',
      '{ query: { "[a][$is]": "b c&d=é/+" } }',
      queryOf,
      '%5Ba%5D%5B%24is%5D=b%20c%26d%3D%C3%A9%2F%2B',
    ],
    ['a list as a repeated parameter', '{ query: { a: ["1", "2"], b: "" } }', queryOf, 'a=1&a=2&b='],
    [
      'a literal query',
      '{ query: "[a]=b c&a%20=<campaign spring>&&=" }',
      queryOf,
      `[a]=b c&a%20=${id('campaign', 'spring')}&&=`,
    ],
    [
      'members merged at every depth',
      '{ body: { order: { metadata: { a: [b] } } } }',
      (r) => bodyOf(r).order,
      { items: [{ product_id: id('product', 'mug'), quantity: 1 }], metadata: { a: ['b'] } },
    ],
    ['lists replaced', '{ body: { order: { items: [] } } }', (r) => bodyOf(r).order.items, []],
    ['a list in place of the body', '{ body: [1, <customer ann>] }', bodyOf, [1, id('customer', 'ann')]],
    [
      'a long list of equal items',
      '{ body: { order: { items: { repeat: 3, item: { sku_id: a } } } } }',
      (r) => bodyOf(r).order.items,
      [{ sku_id: 'a' }, { sku_id: 'a' }, { sku_id: 'a' }],
    ],
    ['raw text', '{ raw: "{\\"id\\": \\"<customer ann>\\"" }', (r) => r.body, `{"id": "${id('customer', 'ann')}"`],
    [
      'without members',
      '{ without: [body.order.items, body.customer] }',
      bodyOf,
      { order: { metadata: {} }, options: {}, metadata: {} },
    ],
    ['without a body', '{ without: [body] }', ({ body }) => body, undefined],
    [
      'without headers',
      '{ without: [headers.Content-Type, headers.X-Client-Token] }',
      ({ headers }) => headers,
      [['X-Client-Application-Id', '$CLIENT_APPLICATION_ID']],
    ],
    [
      'without a header in other letters',
      '{ without: [headers.content-type] }',
      ({ headers }) => headers.map(([name]) => name),
      ['X-Client-Application-Id', 'X-Client-Token'],
    ],
    [
      'without members whose names have dots',
      '{ body: { metadata: { level.1: gold, level: { "1": a } } }, without: [[body, metadata, level.1]] }',
      (r) => bodyOf(r).metadata,
      { level: { 1: 'a' } },
    ],
    [
      'a header in other letters in place of the one before',
      '{ headers: { content-type: text/plain } }',
      ({ headers }) => headers.slice(2),
      [['content-type', 'text/plain']],
    ],
    [
      'a name in two spellings as two headers',
      '{ headers: { X-A: "1", x-a: "2" } }',
      ({ headers }) => headers.slice(3),
      [
        ['X-A', '1'],
        ['x-a', '2'],
      ],
    ],
    [
      'replaced and repeated headers',
      '{ headers: { Content-Type: text/plain, Accept-Language: [de, en] } }',
      ({ headers }) => headers.slice(2),
      [
        ['Content-Type', 'text/plain'],
        ['Accept-Language', 'de'],
        ['Accept-Language', 'en'],
      ],
    ],
    ['another method and path', '{ method: POST, path: /V1 }', (r) => [r.method, r.path], ['POST', '/V1']],
  ];
  test('as written', () =>
    checkEachRow(requests, (_, request, part, sent) => {
      expect(part(requestOf(request))).toEqual(sent);
    }));

  test('like an earlier one, with a literal query or parameters in place of each other', () => {
    const { first, second, third, literal, named } = severalOf(
      'first: { query: { a: "1", b: "2" }, body: { customer: { id: <customer ben> } } }',
      'second: { like: first, without: [query.a] }',
      'third: { like: second, without: [query], body: { options: { expand: [category] } } }',
      'literal: { like: first, query: "c=3" }',
      'named: { like: literal, query: { d: "4" } }',
    );
    expect([first, second, third, literal, named].map(queryOf)).toEqual(['a=1&b=2', 'b=2', undefined, 'c=3', 'd=4']);
    expect(second?.body).toBe(first?.body);
    expect(bodyOf(third)).toMatchObject({ customer: { id: id('customer', 'ben') }, options: { expand: ['category'] } });
  });
});
