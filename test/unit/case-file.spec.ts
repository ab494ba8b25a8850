import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import type { Assertion } from '../../src/assertions/assertion.js';
import { readCaseFile } from '../../src/cases/case-file.js';
import { readNamedRequests } from '../../src/cases/named-requests.js';
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
const asking = (request: string, check: string) => requirement(`request: ${request}`, `expect: { request: ${check} }`);

/** A complete request of the suite. */
const ann = 'ann-with-a-mug';

/** A change of that request. */
const changed = (change: string) => `{ from: ${ann}, ${change} }`;

/** A case file with one case of a question. */
const question = (answers: string, ...lines: string[]) =>
  `cases:\n  - answers: ${answers}\n    title: One\n${indent(lines)}`;

/** A case file that sends a request and records the status. */
const statusOf = (request: string) => question('response-status', `request: ${request}`, 'value: { take: status }');

const inWinter = changed('filter: { campaign: winter }');
const rulesOnly = changed('query: { audienceRulesOnly: "true" }');
const again = changed('again: 1');
const twoRequests = `requests: { one: ${ann}, two: ${again} }`;
const succeeds = 'expect: { request: { status: 2xx } }';

/** A statement of a case that has several. */
const statement = (id = 'one', expectation = succeeds) =>
  `{ id: ${id}, verifies: order.quantity, title: One, ${expectation} }`;

/** A case file with one case that has these statements, and more lines. */
const stated = (first: string, second?: string, ...lines: string[]) =>
  `cases:\n  - request: ${ann}\n    statements: [${[first, ...(second === undefined ? [] : [second])].join(', ')}]\n${indent(lines)}`;

/** A case file with one case that has several rows. */
const varied = (rows: string, expectation = succeeds) => requirement(`rows: ${rows}`, expectation);

/** The suite, with a named request that has a query. */
const basis = {
  ...suite,
  namedRequests: new Map([
    ...suite.namedRequests,
    ['spelled', { ...suite.namedRequests.get(ann), query: { a: '1' } }] as const,
  ]),
};

function read(yaml: string): { cases: TestCase[]; problems: Problem[] } {
  return readCaseFile(parseYaml(yaml, 'cases.yaml'), basis);
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
    ['an empty file', '▸', /must be a mapping/],
    ['an unknown key of a case', requirement(`request: ${ann}`, '▸expext: []', succeeds), /'expext'.*'expect'/],
    ['an unknown key of a check', asking(ann, '{ ▸something-else: 1 }'), /'something-else'.*accepted/],
    ['a file with more than cases', `▸base: {}\n${statusOf(ann)}`, /'base'/],
    [
      'a case that neither verifies nor answers',
      'cases:\n  - ▸▸▸title: One',
      /lacks the key 'id'/,
      /lacks the key 'verifies'/,
      /lacks the key 'expect'/,
    ],
    [
      'a question without a title',
      `cases:\n  - ▸answers: response-status\n    request: ${ann}`,
      /lacks the key 'title'/,
    ],
    [
      'outcomes beside a value',
      question(
        'response-status',
        `request: ${ann}`,
        'value: { take: status }',
        '▸outcomes: { a: { request: { status: 2xx } } }',
      ),
      /'outcomes'/,
    ],
    [
      'an expectation of a case beside its statements',
      stated(statement(), statement('two'), `▸${succeeds}`),
      /'expect'/,
    ],
    ['a single statement', stated(statement()).replace('statements: ', 'statements: ▸'), /'statements'/],
    [
      'a statement without an expectation',
      stated(statement(), '▸{ id: two, verifies: order.quantity, title: Two }'),
      /'expect'/,
    ],
    ['an unknown tag', requirement('tags: [▸instrusive]', `request: ${ann}`, succeeds), /'instrusive'.*'intrusive'/],
    ['an invalid name', requirement(`requests: { ▸The Other: ${ann} }`, succeeds), /'The Other'.*Lower-case/],
    ['a request with the name of all', requirement(`requests: { ▸every: ${ann} }`, succeeds), /'every'/],
    ['a list of checks', requirement(`request: ${ann}`, 'expect: ▸[{ status: 2xx }]'), /must be a mapping/],
    [
      'requests in a list',
      requirement(twoRequests, 'expect: { ▸"one, two": { status: 2xx } }'),
      /'one, two'.*`one and two`/,
    ],
    ['a check that states nothing', asking(ann, '▸{}'), /must not be empty/],
    [
      'a single alternative',
      question(
        'result-order',
        `request: ${ann}`,
        'outcomes: { newest-first: { any-of: ▸[{ request: { status: 2xx } }] } }',
      ),
      /'any-of'/,
    ],
  ]);
});

test('an unknown name is refused at its location', () => {
  const repeated = (first: string) =>
    question(
      'repeatability',
      twoRequests,
      'evidence: two',
      'outcomes:',
      `  identical: ${first}`,
      '  same-promotions: { two: { returned: { same-as: one } } }',
      '  different-promotions: { two: { returned: { differs-from: one } } }',
    );
  refuses([
    [
      'of a customer',
      statusOf('{ from: ann-with-a-mug, body: { customer: { id: ▸<customer anm> } } }'),
      /'anm'.*'ann'/,
    ],
    ['of a kind', statusOf(changed('headers: { A: ▸<custmer ann> }')), /'custmer'.*'customer'/],
    ['of a tier in a text', repeated('{ two: { body: { mentions: [▸<tier greting>] } } }'), /'greting'.*'greeting'/],
    ['of a requirement', asking(ann, '{ status: 2xx }').replace('order.', '▸ordr.'), /'ordr\.q.*'order\.quantity'/],
    ['of a question', statusOf(ann).replace('response', '▸respons'), /'respons-status'.*'response-status'/],
    ['of a tier', asking(ann, '{ returned: { include: [greeting, ▸grreting] } }'), /'grreting'.*'greeting'/],
    ['a selection', asking(ann, '{ returned: { include: required, exclude: ▸forbiden } }'), /'forbiden'.*'forbidden'/],
    ['of a named request', statusOf('▸an-with-a-mug'), /'an-with-a-mug'.*'ann-with-a-mug'/],
    ['of a named request that is changed', statusOf('{ from: ▸an-with-a-mug, again: 1 }'), /'ann-with-a-mug'/],
    ['of a named request in a row', varied(`{ a: { request: ${ann} }, b: { request: ▸bob } }`), /'bob'/],
    ['of a request in a check', requirement(twoRequests, 'expect: { ▸one and tow: { status: 2xx } }'), /'tow'.*'two'/],
    [
      'of a request in an alternative',
      repeated('{ any-of: [{ one: { status: 2xx } }, { ▸tow: { status: 2xx } }] }'),
      /'tow'/,
    ],
    ['of a request to compare with', repeated('{ two: { body: { same-as: ▸oen } } }'), /'oen'.*'one'/],
    [
      'of the request that is the evidence',
      repeated('{ two: { body: { same-as: one } } }').replace('evidence: two', 'evidence: ▸tow'),
      /'tow'.*'two'/,
    ],
  ]);
});

test('rules that do not fit the question are refused at its location', () => {
  const order = ['newest-first', 'oldest-first', 'another-order'];
  const ruled = (...outcomes: string[]) =>
    question(
      'result-order',
      `requests: { one: ${ann} }`,
      'outcomes:',
      ...outcomes.map((outcome) => `  ${outcome}: { one: { status: 2xx } }`),
    );
  refuses([
    ['an unknown outcome', ruled(...order, '▸newest-frst'), /'newest-frst'.*'newest-first'/],
    [
      'an outcome without checks',
      question('result-order', `request: ${ann}`, 'outcomes: ▸{ newest-first: { request: { status: 2xx } } }'),
      /'oldest-first', 'another-order'/,
    ],
    [
      'no outcomes, for an open value',
      question('response-status', `request: ${ann}`).replace('answers', '▸answers'),
      /'response-status'.*'value:'/,
    ],
    [
      'a value, for named outcomes',
      question('result-order', `request: ${ann}`, 'value: ▸{ take: status }'),
      /'outcomes:'/,
    ],
  ]);
});

test('requests and checks without effect, or with two meanings, are refused at its location', () => {
  refuses([
    ['a case without a request', requirement(succeeds).replace('id', '▸id'), /'request:'/],
    ['a request that starts from nothing', statusOf('▸{ filter: { campaign: spring } }'), /'from: ann-with-a-mug'/],
    ['body and raw in one request', statusOf('{ ▸body: {}, raw: "{" }'), /'body'/],
    ['a literal query and a filter', statusOf(changed('query: "a=1", ▸filter: { campaign: spring }')), /'filter'/],
    [
      'two requests that are equal in each row',
      requirement(
        `rows: { a: { one: ${ann}, two: ${ann}, three: ${again} }, b: { one: ${again}, two: ${again}, three: ${ann} } }`,
        'expect: { one: { status: 2xx } }',
      ).replace('id', '▸id'),
      /'one' and 'two'.*'again: 1'/,
    ],
    [
      'a row without a request that another one has',
      varied(`{ a: { request: ${ann}, two: ${again} }, b: ▸{ request: ${ann} } }`),
      /'two'.*Add 'two:'/,
    ],
    [
      'a request that a row has, and all of them',
      requirement(
        `requests: { one: ${ann} }`,
        `rows: { a: { three: ${again} }, b: { three: ${again}, one: ▸${again} } }`,
        'expect: { three: { status: 2xx } }',
      ),
      /'one' already/,
    ],
    [
      'a request that no statement has a check of',
      stated(statement(), statement('two')).replace(
        'cases:\n  - request',
        `cases:\n  - ▸requests: { unseen: ${again} }\n    request`,
      ),
      /'unseen'/,
    ],
    [
      'a removed member that is not there',
      statusOf(changed('without: ▸[body.ordr.metadata]')),
      /'body\.ordr\.metadata'/,
    ],
    [
      'a removed header that is not there',
      statusOf(changed('without: ▸[headers.content-typ]')),
      /'headers\.content-typ'/,
    ],
    ['a removed parameter that is not there', statusOf(changed('without: ▸[query.a]')), /'query\.a'/],
    [
      'a removed member whose name has a dot, as one path',
      statusOf(changed('body: { metadata: { level.1: gold } }, without: ▸[body.metadata.level.1]')),
      /list of names/,
    ],
    ['a form of JSON for a body that is none', statusOf('▸{ raw: "{", sent: members-reversed }'), /needs a JSON body/],
    ['a form of JSON beside another one', statusOf('▸{ raw: "{", sent: [chunked, pretty-printed] }'), /pretty-printed/],
    ['escaped letters of a body that is no JSON', statusOf('▸{ raw: "x", sent: with-escaped-letters }'), /JSON body/],
    [
      'another encoding of a query that has none',
      statusOf(`▸${changed('query: "a=%", sent: values-percent-encoded-in-lower-case')}`),
      /percent-encoded query/,
    ],
    ['half of a character in a query', statusOf(`▸${changed('filter: { metadata.level: "\\ud800" }')}`), /surrogate/],
    ['rows whose titles are numbers', varied(`{ ▸"10": { request: ${ann} }, two: { request: ${again} } }`), /title/],
  ]);
});

test('an expectation that could fail a conforming deployment, or pass on nothing, is refused at its location', () => {
  const marked = (request: string, expectation: string) => asking(request, expectation).replace('id', '▸id');
  const comparing = (requests: string, expectation: string) =>
    requirement(`requests: { ${requests} }`, `expect: { one: { ${expectation} } }`);
  const items = (list: string) => changed(`body: { order: { items: [${list}] } }`);
  const mug = (quantity: string) => `{ product_id: <product mug>, quantity: ${quantity} }`;
  const control = /needs a positive control/;

  refuses([
    ['a tier beyond the window', asking(ann, '{ returned: { ▸include: beyond-first } }'), /'beyond-first'/],
    ['a tier for another customer', asking(ann, '{ returned: { ▸include: for-ben } }'), /'for-ben'/],
    ['the absence of a valid tier', asking(ann, '{ returned: { include: greeting, ▸exclude: mug-1 } }'), /'mug-1'/],
    [
      'a tier with an order-metadata rule',
      asking(
        changed('body: { order: { metadata: { payment_mean: [credit-card] } } }'),
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
      asking(changed('filter: { campaign: spring, metadata.level: gold }'), '{ ▸status: 2xx }'),
      /several filters/,
    ],
    ['an omitted member being accepted', asking(changed('without: [body.order]'), '{ ▸status: 2xx }'), /order/],
    [
      'a numeric string as quantity',
      marked(items(mug('"1"')), '{ returned: { ▸include: mug-1 } }'),
      /\/body\/order\/items\/0\/quantity/,
      /\/body\/order\/items\/0\/quantity/,
    ],
    [
      'an undocumented request to compare with',
      comparing(`one: ${ann}, two: ${items(mug('"1"'))}`, 'returned: { ▸differs-from: two }').replace('id', '▸id'),
      /\/body\/order\/items\/0\/quantity/,
      /does not say that 'one' and 'two' differ/,
    ],
    ['another method', marked(changed('method: POST'), '{ ▸status: 2xx }'), /\/method/, /\/method/],
    ['a status code', asking(ann, '{ ▸status: 200 }'), /2xx/],
    ['success if nothing is valid', asking(inWinter, '{ ▸status: 2xx }'), /empty result.*or-empty-like/],
    ['the body', asking(ann, '{ body: { ▸empty: true } }'), /'body\.empty'/],
    ['alternatives', asking(ann, '{ ▸any-of: [{ status: 2xx }, { status: 4xx }] }'), /alternatives/],
    ['only some valid tiers', asking(ann, '{ returned: { include: greeting, ▸only: [greeting] } }'), /'for-ann'/],
    [
      'a difference of equal requests',
      comparing(`one: ${ann}, two: ${again}`, 'returned: { ▸differs-from: two }'),
      /'one'.*'two'/,
    ],
    ['an absence without a control', asking(ann, '{ returned: { ▸exclude: for-ben } }'), control],
    [
      'an absence with a control of another request',
      requirement(
        twoRequests,
        'expect: { one: { returned: { include: greeting } }, two: { returned: { ▸exclude: for-ben } } }',
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
      comparing(`one: ${ann}, more: ${items(`${mug('1')}, ${mug('1')}`)}`, '▸accepted: { wherever: more }'),
      /'one'.*'more'/,
    ],
    ['a status under audienceRulesOnly', asking(rulesOnly, '{ ▸status: 2xx }'), /audienceRulesOnly/],
    [
      'an empty result like one that may not be empty',
      comparing(`one: ${rulesOnly}, other: ${ann}`, '▸accepted: { or-empty-like: other }'),
      /'other'/,
    ],
    [
      'nothing in a row',
      varied(
        `{ a: { request: ${ann} }, b: { request: ${inWinter} } }`,
        'expect: { request: { returned: { include: required } } }',
      ).replace('id', '▸id'),
      /expects nothing \(row 'b'\)/,
    ],
  ]);
});

test('A request that no assertion is about may be undocumented: it only comes before the others', () => {
  const refused = `refused: ${changed('body: { options: { expand: 1 } }')}`;
  const lines = [`requests: { ${refused}, probe: ${ann} }`, 'expect: { probe: { returned: { include: greeting } } }'];
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
    for (const name of ['contract.yaml', 'world.yaml', 'requests.yaml'])
      cpSync(path.join(packageCasesFolder, name), path.join(folder, name));
    const written: Readonly<Record<string, string>> = {
      'requirements/good.yaml': asking(ann, '{ returned: { include: mug-1 } }'),
      'questions/good.yaml': statusOf(ann),
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
        'questions/good.yaml': statusOf(ann).replace('title', 'tags: [calibration]\n    title'),
        'requirements/deep/er.yaml': asking(ann, '{ status: 2xx }').replace('one', 'deep'),
      }),
    );
    expect(cases.map(({ id }) => id)).toEqual(['deep', 'one', 'response-status']);
    expect(calibration.map((request) => request.path)).toEqual(['/v1/promotions/validation']);
  });

  test('is refused with the problems of all case files', () => {
    const twice = asking(ann, '{ returned: { include: mug-1 } }');
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
        'questions/c.yaml': statusOf(ann),
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
    expect(withoutContract).not.toEqual([]);
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
  const queryOf = (request: HttpRequest | undefined) => request?.path.split('?')[1];
  const bodyOf = (request: HttpRequest | undefined) => JSON.parse(request?.body ?? 'null');
  const id = (kind: 'customer' | 'product' | 'campaign', name: string) => world.ids[kind].get(name) as string;

  test('as documented, with the body of the named request and ids', () => {
    expect(requestOf(ann)).toEqual({
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
  const inSpring = `%5Bfilters%5D%5Bpromotion_id%5D%5Bconditions%5D%5B%24is%5D=${id('campaign', 'spring')}`;
  const requests: readonly Row[] = [
    [
      'query names and values percent-encoded',
      '{ from: ann-with-a-mug, query: { "[a][$is]": "b c&d=é/+" } }',
      queryOf,
      '%5Ba%5D%5B%24is%5D=b%20c%26d%3D%C3%A9%2F%2B',
    ],
    [
      'a list as a repeated parameter',
      '{ from: ann-with-a-mug, query: { a: ["1", "2"], b: "" } }',
      queryOf,
      'a=1&a=2&b=',
    ],
    [
      'a literal query',
      '{ from: ann-with-a-mug, query: "[a]=b c&a%20=<campaign spring>&&=" }',
      queryOf,
      `[a]=b c&a%20=${id('campaign', 'spring')}&&=`,
    ],
    [
      'members merged at every depth',
      '{ from: ann-with-a-mug, body: { order: { metadata: { a: [b] } } } }',
      (r) => bodyOf(r).order,
      { items: [{ product_id: id('product', 'mug'), quantity: 1 }], metadata: { a: ['b'] } },
    ],
    ['lists replaced', '{ from: ann-with-a-mug, body: { order: { items: [] } } }', (r) => bodyOf(r).order.items, []],
    [
      'a list in place of the body',
      '{ from: ann-with-a-mug, body: [1, <customer ann>] }',
      bodyOf,
      [1, id('customer', 'ann')],
    ],
    [
      'equal items in a list',
      '{ from: ann-with-a-mug, body: { order: { items: [{ sku_id: b }, { repeat: 2, item: { sku_id: a } }] } } }',
      (r) => bodyOf(r).order.items,
      [{ sku_id: 'b' }, { sku_id: 'a' }, { sku_id: 'a' }],
    ],
    ['raw text', '{ raw: "{\\"id\\": \\"<customer ann>\\"" }', (r) => r.body, `{"id": "${id('customer', 'ann')}"`],
    [
      'without members',
      '{ from: ann-with-a-mug, without: [body.order.items, body.customer] }',
      bodyOf,
      { order: { metadata: {} }, options: {}, metadata: {} },
    ],
    ['without a body', '{ from: ann-with-a-mug, without: [body] }', ({ body }) => body, undefined],
    [
      'without headers',
      '{ from: ann-with-a-mug, without: [headers.Content-Type, headers.X-Client-Token] }',
      ({ headers }) => headers,
      [['X-Client-Application-Id', '$CLIENT_APPLICATION_ID']],
    ],
    [
      'without a header in other letters',
      '{ from: ann-with-a-mug, without: [headers.content-type] }',
      ({ headers }) => headers.map(([name]) => name),
      ['X-Client-Application-Id', 'X-Client-Token'],
    ],
    [
      'without members whose names have dots',
      '{ from: ann-with-a-mug, body: { metadata: { level.1: gold, level: { "1": a } } }, without: [[body, metadata, level.1]] }',
      (r) => bodyOf(r).metadata,
      { level: { 1: 'a' } },
    ],
    [
      'a header in other letters in place of the one before',
      '{ from: ann-with-a-mug, headers: { content-type: text/plain } }',
      ({ headers }) => headers.slice(2),
      [['content-type', 'text/plain']],
    ],
    [
      'a name in two spellings as two headers',
      '{ from: ann-with-a-mug, headers: { X-A: "1", x-a: "2" } }',
      ({ headers }) => headers.slice(3),
      [
        ['X-A', '1'],
        ['x-a', '2'],
      ],
    ],
    [
      'replaced and repeated headers',
      '{ from: ann-with-a-mug, headers: { Content-Type: text/plain, Accept-Language: [de, en] } }',
      ({ headers }) => headers.slice(2),
      [
        ['Content-Type', 'text/plain'],
        ['Accept-Language', 'de'],
        ['Accept-Language', 'en'],
      ],
    ],
    [
      'another method and path',
      '{ from: ann-with-a-mug, method: POST, path: /V1 }',
      (r) => [r.method, r.path],
      ['POST', '/V1'],
    ],
    [
      'a body of its own without a named request',
      '{ body: { customer: { id: <customer ben> } }, filter: { campaign: spring } }',
      (r) => [r.method, r.headers.length, r.body, queryOf(r)],
      ['GET', 3, `{"customer":{"id":"${id('customer', 'ben')}"}}`, inSpring],
    ],
    [
      'parameters in the order of query and filter',
      '{ from: ann-with-a-mug, query: { a: "1" }, filter: { campaign: spring } }',
      queryOf,
      `a=1&${inSpring}`,
    ],
    [
      'parameters in the order of filter and query',
      '{ from: ann-with-a-mug, filter: { campaign: spring }, query: { a: "1" } }',
      queryOf,
      `${inSpring}&a=1`,
    ],
    ['a literal query in place of parameters', '{ from: spelled, query: "c=3" }', queryOf, 'c=3'],
    ['parameters beside those of the named request', '{ from: spelled, query: { b: "2" } }', queryOf, 'a=1&b=2'],
    ['without a parameter', '{ from: spelled, query: { b: "2" }, without: [query.a] }', queryOf, 'b=2'],
    ['without a query', '{ from: spelled, without: [query] }', queryOf, undefined],
  ];
  test('as written', () =>
    checkEachRow(requests, (_, request, part, sent) => {
      expect(part(requestOf(request))).toEqual(sent);
    }));

  test('by each statement of a case as far as its checks are about it', () => {
    const { cases, problems } = read(
      [
        'cases:',
        '  - tags: [awkward]',
        `    requests: { control: ${ann}, unused: { from: ${ann}, again: 2 } }`,
        `    rows: { a: { one: ${again} }, b: { one: ordinary-with-a-mug } }`,
        '    given: { control: { status: 2xx } }',
        '    statements:',
        '      - { id: first, verifies: order.quantity, title: A, expect: { control: { returned: { include: mug-1 } } } }',
        '      - id: second',
        '        verifies: order.product-item',
        '        title: B',
        '        tags: [independent]',
        '        given: { one: { returned: { include: greeting } } }',
        '        expect: { every: { status: 2xx } }',
      ].join('\n'),
    );
    expect(problems).toEqual([]);
    expect(
      cases.map(({ id, tags, rows }) => [id, tags, rows.map(({ title, requests }) => [title, ...requests.keys()])]),
    ).toEqual([
      [
        'first',
        ['order.quantity', 'awkward'],
        [
          ['a', 'control'],
          ['b', 'control'],
        ],
      ],
      [
        'second',
        ['order.product-item', 'awkward', 'independent'],
        [
          ['a', 'control', 'unused', 'one'],
          ['b', 'control', 'unused', 'one'],
        ],
      ],
    ]);
    const kinds = cases[1]?.rows[0]?.given.map((assertion) => 'of' in assertion && [assertion.of, assertion.kind]);
    expect(kinds).toEqual([
      ['control', 'status'],
      ['one', 'returned.include'],
    ]);
  });
});

test('Alternatives are of a response, or of several', () => {
  const { cases, problems } = read(
    question(
      'repeatability',
      twoRequests,
      'outcomes:',
      '  identical: { any-of: [{ one: { status: 200 } }, { one and two: { status: 2xx }, two: { body: { empty: true } } }] }',
      '  same-promotions: { one and two: { any-of: [{ status: 404 }, { returned: { nothing: true } }] } }',
      '  different-promotions: { every: { status: 2xx } }',
    ),
  );
  expect(problems).toEqual([]);
  const [found] = cases;
  const describe = (assertion: Assertion): unknown =>
    'lists' in assertion ? assertion.lists.map((list) => list.map(describe)) : `${assertion.of} ${assertion.kind}`;
  const rules = found?.kind === 'question' && found.answer.kind === 'first-of' ? found.answer.rules : [];
  expect(rules.map(({ when }) => when.map(describe))).toEqual([
    [[['one status'], ['one status', 'two status', 'two body.empty']]],
    [
      [['one status'], ['one returned.nothing']],
      [['two status'], ['two returned.nothing']],
    ],
    ['one status', 'two status'],
  ]);
  expect(found?.kind === 'question' && found.answer.kind === 'first-of' && found.answer.evidence).toBe('two');
});

test('Named requests are refused at their location', () => {
  const known = new Map([['ann-with-a-mug', {}]]);
  refuses(
    [
      ['that start from another one', 'requests: { a: { ▸from: b, body: {} } }', /'from'/],
      ['without a body', 'requests: { a: ▸{ path: /v2 } }', /'body'/],
      ['with an unknown customer', 'requests: { a: { body: { customer: { id: ▸<customer anm> } } } }', /'anm'.*'ann'/],
      ['with the name of one of the suite', 'requests: { ▸ann-with-a-mug: { body: {} } }', /already/],
      ['with an invalid name', 'requests: { ▸A: { body: {} } }', /'A'/],
    ],
    (yaml) => readNamedRequests(parseYaml(yaml, 'requests.yaml'), world, known).problems,
  );
});

test('Each named request of the suite is used, and differs from the others', () => {
  const requests = [...suite.namedRequests].map(([name, draft]) => [name, JSON.stringify(draft)] as const);
  expect(requests.length).toBeGreaterThan(20);
  expect(new Set(requests.map(([, text]) => text)).size).toBe(requests.length);
  const texts = ['requirements', 'questions'].flatMap((kind) =>
    readdirSync(path.join(packageCasesFolder, kind)).map((file) =>
      readFileSync(path.join(packageCasesFolder, kind, file), 'utf8'),
    ),
  );
  const isUsed = (name: string) => texts.some((text) => new RegExp(`: ${name}(?![a-z0-9-])`).test(text));
  expect(requests.map(([name]) => name).filter((name) => !isUsed(name))).toEqual([]);
});
