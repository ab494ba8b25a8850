/**
 * Deployments in this process, and what the suite finds. No deployment that conforms may fail, whatever its responses look
 * like and however much of the test data it has. Faults must be found through every shape of responses.
 */

import { expect, test } from '@playwright/test';
import type { DeploymentOptions } from '../../reference/deployment/deployment.js';
import { undeterminedOutcome } from '../../src/cases/test-case.js';
import { type EntityKind, entityKinds, type TargetWorld, type Tier, worldListNames } from '../../src/contract/world.js';
import type { HttpRequest, HttpResponse } from '../../src/http/exchange.js';
import { isJsonObject, parseJson } from '../../src/support/json.js';
import { renderReason } from '../../src/support/reason.js';
import {
  breakDeployment,
  certifyRow,
  checkDeployment,
  type Deploy,
  type DeploymentRow,
  fewCases,
  refuse,
  reshape,
  type Statement,
  visibleFaults,
} from '../support/check-deployment.js';
import { type Answer, addMembers, createReference, suite } from '../support/in-process.js';
import {
  createIndependentDeployment,
  type Shape,
  type ShapeName,
  shapes,
  type Traits,
} from '../support/independent-deployment.js';
import { mark, markingShapes } from '../support/marking-shapes.js';
import { reasonOf } from '../support/reasons.js';

const conforms = (title: string, deploy: Deploy, more: Statement = {}): DeploymentRow => {
  return { title: `${title}: conforms`, deploy, verdict: 'conforms', ...more };
};
const fails = (title: string, deploy: Deploy, more: Statement = {}): DeploymentRow => {
  return { title: `${title}: does not conform`, deploy, verdict: 'does-not-conform', ...noFaults, ...more };
};
const incomplete = (title: string, deploy: Deploy, says: Statement['says'], more: Statement = {}): DeploymentRow => {
  return { title: `${title}: incomplete`, deploy, verdict: 'incomplete', says, ...more };
};
/** A deployment that cannot be judged without a line of the target file. The reason proposes this line. */
const unclear = (title: string, deploy: Deploy, line: string, more: Statement = {}) => [
  incomplete(title, deploy, line, more),
  conforms(`${title}, ${line}`, deploy, { ...more, target: line, faults: undefined }),
];

/** For deployments through which not every fault can be found. */
const noFaults: Statement = { faults: [] };
const oneFault: Statement = { faults: ['customer rules are ignored'] };
const refusedMetadata: Statement = { faults: ['metadata is refused'] };
const long: Statement = { isLong: true };

function independent(traits: Traits = {}): Deploy {
  return (world) => createIndependentDeployment(world, traits);
}

/** The reference deployment, its results in another shape. */
function shaped(shape: Shape, type?: string): Deploy {
  return (world) => createReference({ world, change: reshape(shape, world, type) });
}

const { ids } = suite.world;
const idsOf = (tiers: readonly Tier[]) => tiers.map(({ id }) => id);

// Shapes of responses --------------------------------------------------------------------------------------------------

/** They conform with and without a statement in the target file. */
const oddShapes: Readonly<Record<string, readonly [shape: Shape, tier: string]>> = {
  'ids with a prefix': [(tiers) => ({ data: tiers.map(({ id }) => ({ key: `tier-${id}` })) }), '/data/*/key'],
  'ids with a suffix': [(tiers) => tiers.map(({ id }) => `${id}-v1`), '/*'],
  'keys with a prefix': [(tiers) => Object.fromEntries(tiers.map(({ id }) => [`tier${id}`, { is: true }])), '/*'],
  'one result as an object': [(tiers) => (tiers.length === 1 ? tiers[0] : tiers), '[/id, /*/id]'],
  'one result as a text': [(tiers) => ({ data: tiers.length === 1 ? tiers[0]?.id : idsOf(tiers) }), '[/data, /data/*]'],
  'plain text for nothing': [(tiers) => (tiers.length === 0 ? 'no promotions' : idsOf(tiers)), '/*'],
};

const nest = (levels: number, text: string) => `${'{"a":'.repeat(levels)}${text}${'}'.repeat(levels)}`;
const unreadable = (type: string, shape: Shape) =>
  incomplete(`unreadable ${type}`, shaped(shape, type), [], { ...refusedMetadata, reason: reasonOf('not-json') });

/** Lists returned promotions under one key, all others under another. */
const withRejected = (key: string, rejectedKey: string) =>
  shaped((tiers, _, all) => ({
    [key]: idsOf(tiers),
    [rejectedKey]: idsOf(all.filter((tier) => !tiers.includes(tier))),
  }));
const rejecting = independent({ shape: 'with-rejected' });
const noneRight = breakDeployment(rejecting, 'customer rules are ignored');
const sevenPaths = shaped((tiers) => Object.fromEntries(tiers.slice(0, 7).map(({ id }, n) => [`list_${n}`, [id]])));
const longPaths = mark((all) => Object.fromEntries(all.map(({ id }, n) => [`${'long'.repeat(20)} ${n}`, [id]])));
const bothPaths = [
  /In one response, \/promotions\/\*\/id names \d+ promotions \(also '[^']+' \(.*\), which must not be returned\)/,
  /\/skipped\/\*\/id names \d+ promotions \(also '[^']+' \(.*, and the .*\), which must not be returned, but not '/,
  /such as response: \{ tier: \/promotions\/\*\/id \}\. None of them agrees with/,
];
/** Two lists of the same promotions, unless there are a few. The first requests cannot tell which of them is right. */
const fewInOne = shaped((tiers) => ({ a: idsOf(tiers), b: idsOf(tiers.length < 10 ? [] : tiers) }));
const parts = shaped((tiers) => ({ one: idsOf(tiers.slice(0, 3)), more: idsOf(tiers.slice(3)) }));

/** A list of two promotions is no row with columns. @param at the index of the wrong one */
function pairWithWrong(at: number): Deploy {
  const wrong = ids.tier.get('beyond-first') ?? '';
  return shaped((tiers) => idsOf(tiers).toSpliced(at, 0, ...(tiers.length === 1 ? [wrong] : [])));
}

const shapeRows = [
  ...(Object.keys(shapes) as ShapeName[])
    .filter((shape) => shape !== 'with-rejected')
    .map((shape) => conforms(shape, independent({ shape }))),
  ...Object.entries(oddShapes).flatMap(([title, [shape, tier]]) => [
    conforms(title, shaped(shape)),
    conforms(`${title}, tier: ${tier}`, shaped(shape), { target: `response: { tier: ${tier} }`, ...long }),
  ]),
  conforms(
    '5,000 levels of nesting',
    shaped((tiers) => nest(5_000, JSON.stringify(idsOf(tiers))), 'application/json'),
    long,
  ),
  unreadable('application/x-ndjson', (tiers) => tiers.map(({ id }) => `{"id":"${id}"}\n`).join('')),
  unreadable('text/xml', (tiers) => `<a>${tiers.map(({ id }) => `<b id="${id}"/>`).join('')}</a>`),
  unreadable('text/csv', (tiers) => ['id', ...idsOf(tiers)].join('\n')),
  conforms('rejected promotions', rejecting, noFaults),
  conforms('rejected promotions, stated', rejecting, { target: 'response: { tier: /promotions/*/id }' }),
  conforms('rejected promotions last', withRejected('a', 'b'), { ...noFaults, ...long }),
  conforms('rejected promotions first', withRejected('b', 'a'), noFaults),
  incomplete('two paths, none of them right', noneRight, bothPaths, noFaults),
  ...unclear('two paths, one of them right in some cases', fewInOne, 'response: { tier: /a/* }', noFaults),
  ...unclear('two paths, right together', parts, 'response: { tier: [/more/*, /one/*] }', noFaults),
  fails('seven paths, five of them described', sevenPaths, {
    says: /\/list_4\/\* names 1 [^;]* and 2 more\./,
    ...long,
  }),
  incomplete('paths too long to be described', shaped(longPaths), /^(?!.*In one response).*which disagree/s, {
    ...noFaults,
    ...long,
  }),
  fails('a list of two, the first of them wrong', pairWithWrong(0)),
  fails('a list of two, the last of them wrong', pairWithWrong(1)),
];

/** All promotions, without a hint which of them are valid. */
const listsOfAll: Readonly<Record<string, Shape>> = {
  'the same value for all': mark((all) => all.map(({ id }) => ({ id, kind: 'any' }))),
  'a value for the whole list': mark((all) => ({ total: all.filter(({ valid }) => valid).length, ids: idsOf(all) })),
  'values that may fit by chance': mark((all) => all.map(({ id, valid }, n) => ({ id, is: valid ? n % 4 : 'bad' }))),
  'a list beside each id': mark((all) => all.map(({ id, valid }) => ({ id, list: [valid] }))),
  'members named after promotions': mark((all) =>
    all.map(({ id, valid }, n) => ({ id, [all[(n + 1) % all.length]?.id ?? '']: valid })),
  ),
};
const halves = mark((all) => {
  const list = all.map(({ id, valid }) => ({ id, valid }));
  return { one: list.slice(9), two: list.slice(0, 9) };
});

const markedRows = [
  ...Object.entries(markingShapes).flatMap(([title, { shape, line }]) => unclear(title, shaped(shape), line)),
  ...Object.entries(listsOfAll).map(([title, shape]) => fails(title, shaped(shape))),
  incomplete('a flag, two paths stated', shaped(halves), 'tier: [/one/*/id, /two/*/id], where: { valid: true }', {
    target: 'response: { tier: [/one/*/id, /two/*/id] }',
  }),
  fails('a flag, but all are returned', shaped(markingShapes['a flag'].shape), { target: 'response: { where: {} }' }),
];

// Refused requests -----------------------------------------------------------------------------------------------------

/** @param count of equal requests so far */
type IsRefused = (request: HttpRequest, count: number) => boolean;

const refusedRequests: Readonly<Record<string, readonly [isRefused: IsRefused, more?: Statement]>> = {
  'filters by metadata': [({ path }) => path.includes('metadata.')],
  'filters by campaign': [({ path }) => path.includes('promotion_id')],
  'letters beyond ASCII': [({ body = '' }) => /[^\0-\x7f]/.test(body)],
  // No failure can be confirmed.
  'one of three equal requests': [(_, count) => count % 3 === 1, noFaults],
};

const isLongBody = ({ body = '' }: HttpRequest) => body.length > 1_024;
const isLongPath = ({ path }: HttpRequest) => path.length > 500;
/** A limit of sizes leaves a requirement open only where its requests exceed it. */
const limitRows = [
  incomplete('413 to 1 KB', (world) => refuse(413, isLongBody)(createReference({ world })), [], {
    reason: reasonOf('too-long', { status: 413, body: expect.any(Number) }),
  }),
  ...[414, 431].map((status) =>
    incomplete(
      `${status} to a path of 500 bytes`,
      (world) => refuse(status, isLongPath)(createReference({ world })),
      [],
      { reason: reasonOf('too-long', { status, path: expect.any(Number) }), isLong: status !== 414 },
    ),
  ),
];

function refusing(status: number, isRefused: IsRefused): Deploy {
  return (world) => {
    const counts = new Map<string, number>();
    return refuse(status, (request) => {
      const key = `${request.path} ${request.body}`;
      const count = counts.get(key) ?? 0;
      counts.set(key, count + 1);
      return isRefused(request, count);
    })(createReference({ world }));
  };
}

const refusalRows = Object.entries(refusedRequests).map(([title, [isRefused, more]], n) => {
  const status = n === 0 ? 403 : 401;
  return incomplete(`${status} to ${title}`, refusing(status, isRefused), [], {
    reason: reasonOf('refused-here-only', { status }),
    ...more,
  });
});

// Parts of the test data -----------------------------------------------------------------------------------------------

/** Promotions that the suite does not know, all of them valid for everybody, half of them of campaign S1. */
function foreign(count: number, traits: Traits = {}): Deploy {
  const tiers = Array.from({ length: count }, (_, n) => ({
    id: `T${n}`,
    campaign_id: n % 2 === 0 ? 'S1' : 'S2',
    name: `tier ${n}`,
    created_at: new Date(2_000_000_000_000 - n * 1000).toISOString(),
    metadata: { has_budget: 'true' },
    rules: [],
  }));
  const campaigns = ['S1', 'S2'].map((id) => ({ id, name: `campaign ${id}`, category_ids: [] }));
  return (world) => createIndependentDeployment({ ...world, tiers, campaigns }, traits);
}
/** @param refused bodies */
function foreignWith(status: number, refused: RegExp): Deploy {
  return (world) => refuse(status, ({ body = '' }) => refused.test(body))(foreign(5)(world));
}
const target = 'bindings: { customers: { ann: C1 }, products: { mug: P1 }, campaigns: { spring: S1 } }';
const threeIds = { target, ...noFaults };
const missing = [
  'customers: .*ordinary',
  'products: .*plate',
  'skus: .*shirt-blue',
  'campaigns: .*summer',
  'tiers: .*greeting',
];
const missingIds = missing.map(
  (list) => new RegExp(`^With ids of these ${list.replace(':', ' it would be complete:')}\\b`, 'm'),
);
const acceptances: Readonly<Record<string, RegExp>> = {
  'options.expand-category': /category/,
  'order.repeated-product': /P1.*P1/,
  'order.metadata': /gift_options/,
  'metadata.promotion-rules': /store_name/,
};

const foreignRows = [
  incomplete('5 promotions', foreign(5), missingIds, { ...threeIds, passing: 10 }),
  incomplete('300 promotions', foreign(300), missingIds, { ...threeIds, passing: 10, ...long }),
  ...[400, 404, 500].map((status) =>
    incomplete(`${status} to everything`, foreignWith(status, /^/), [], {
      ...threeIds,
      passing: 0,
      isLong: status !== 400,
    }),
  ),
  ...Object.entries(acceptances).map(([id, refused]) =>
    fails(`400 to ${id}`, foreignWith(400, refused), {
      ...threeIds,
      failing: [id],
      isLong: id !== 'order.repeated-product',
    }),
  ),
];

/** States bindings in a target file; undefined for what the target does not have. */
function stateIds(idOf: (kind: EntityKind, name: string, n: number) => string | undefined): string {
  const list = (kind: EntityKind) => [...ids[kind].keys()].map((name, n) => [name, idOf(kind, name, n)]);
  const lists = entityKinds.map((kind) => [worldListNames[kind], Object.fromEntries(list(kind))]);
  return JSON.stringify({ bindings: Object.fromEntries(lists) });
}
const stateAllBut = (unstated: EntityKind, isUnstated: (name: string, n: number) => boolean) =>
  stateIds((kind, name, n) => (kind === unstated && isUnstated(name, n) ? undefined : ids[kind].get(name)));
const numbers = stateIds((kind, _, n) => String((entityKinds.indexOf(kind) + 1) * 1000 + n));
const withNumbers: Deploy = (world) => {
  const answer = createReference({ world });
  return (request) => ({ ...answer(request), body: answer(request).body.replaceAll(/"id":"(\d+)"/g, '"id":$1') });
};

/** A deployment without the promotions that the target does not have. */
function partial(traits: Traits = {}): Deploy {
  return ({ unavailable, ...world }) =>
    createIndependentDeployment({ ...world, tiers: world.tiers.filter(({ id }) => !unavailable.has(id)) }, traits);
}
const onlyBulk = /^With ids of these customers .*: bulk\.\n(.*The target does not have customer bulk\..*\n?)+$/;
const windowCases = [/^window-with-few-valid not-applicable:/m, /^window-with-all-valid not-applicable:/m];

const partRows = [
  conforms('short ids', independent(), { target: numbers }),
  conforms('ids that are numbers', withNumbers, { target: numbers }),
  incomplete('no id of a customer', independent(), onlyBulk, {
    target: stateAllBut('customer', (name) => name === 'bulk'),
    ...oneFault,
  }),
  incomplete('one of the newest 150 tiers is missing', partial(), windowCases, {
    target: stateAllBut('tier', (name) => name === 'depot-7'),
    ...oneFault,
  }),
  ...[0, 1, 2].flatMap((start) => {
    const more = { target: stateAllBut('tier', (_, n) => n % 3 === start), ...noFaults, ...long };
    return [
      incomplete(`no id of every third tier from ${start}`, independent(), [], more),
      incomplete(`every third tier from ${start} is missing`, partial(), [], more),
    ];
  }),
];

// Promotions of the deployment -----------------------------------------------------------------------------------------

/** Adds promotions of a deployment to the test data. @param at their place: 0 if they are newer than the test data */
function addPromotions(world: TargetWorld, count: number, at: number): TargetWorld {
  const first = world.tiers[0] as Tier;
  const near = world.tiers[at] ?? first;
  const campaign = { id: 'camp_of_the_deployment', name: 'own', category_ids: [] };
  const added = Array.from({ length: count }, (_, n) => ({
    ...first,
    id: `promo_of_the_deployment_${n + 1}`,
    campaign_id: campaign.id,
    name: `own ${n + 1}`,
    created_at: new Date(Date.parse(near.created_at) + (count - n) * 1000).toISOString(),
    metadata: { has_budget: 'true', level: 'gold', stock: 'many' },
    rules: [],
  }));
  return { ...world, campaigns: [...world.campaigns, campaign], tiers: world.tiers.toSpliced(at, 0, ...added) };
}

type Options = Pick<DeploymentOptions, 'behaviours' | 'change'>;

/** The reference deployment with promotions of its own. @param at their place: 0 if they are newer than the test data */
function withOwn(count: number, at = 0, options: Options = {}): Deploy {
  return (world) => createReference({ world: addPromotions(world, count, at), ...options });
}
const windowOf = (size: number): Options => ({ change: () => ({ newest: (tiers) => tiers.slice(0, size) }) });
const windowLast: Options = { behaviours: { 'filter-beyond-window': 'filter-first' } };
const counted = (count: number) => ({ target: `own_promotions: ${count}` });

const three = (title: string, deploy: Deploy, more: Statement = {}) => [
  ...unclear(title, deploy, 'own_promotions: 3', more),
  incomplete(`${title}, 2 counted`, deploy, /promo_of_the_deployment_3.*own_promotions: 3/, {
    ...more,
    ...counted(2),
    ...long,
  }),
];

const ownRows = [
  ...three('3 newest', withOwn(3)),
  ...three('3 newest, the window after the filter', withOwn(3, 0, windowLast), long),
  ...three('3 amid the test data', withOwn(3, 70), long),
  ...three('3 amid the test data, the window after the filter', withOwn(3, 70, windowLast), long),
  fails('3 newest, 0 counted', withOwn(3), counted(0)),
  conforms('1 newest', withOwn(1), { ...counted(1), ...long }),
  conforms('30 newest', withOwn(30), { ...counted(30), ...long }),
  conforms('3 older ones', withOwn(3, 160)),
  conforms('3 older ones, the window after the filter', withOwn(3, 160, windowLast)),
  ...[100, 147, 149, 151, 233].flatMap((size) => {
    const more = size === 151 ? {} : long;
    return [
      fails(`a window of ${size}`, withOwn(0, 0, windowOf(size)), more),
      fails(`3 newest, a window of ${size}`, withOwn(3, 0, windowOf(size)), { ...counted(3), ...more }),
      fails(`3 older ones, a window of ${size}`, withOwn(3, 160, windowOf(size)), long),
    ];
  }),
];

// What the documentation leaves open -----------------------------------------------------------------------------------

const operation = '/v1/promotions/validation';
const answerJson = (status: number, body: object): HttpResponse => ({
  status,
  headers: [['Content-Type', 'application/json']],
  body: JSON.stringify(body),
});

/** Each response has its own number and time. */
function createVolatile(world: TargetWorld): Answer {
  let number = 0;
  return addMembers(createIndependentDeployment(world, { shape: 'renamed' }), () => {
    number += 1;
    return { request: { id: `req-${number}`, at: new Date(1_700_000_000_000 + number * 1_000).toISOString() } };
  });
}

/** The status of a response to a request that violates the schema of an API gateway. */
function findSchemaViolation({ method, path, headers, body: text = '' }: HttpRequest): number | undefined {
  if (method !== 'GET') return 501;
  if (path.split('?')[0] !== operation) return 308;
  const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  if (!type.startsWith('application/json')) return 415;
  const body = parseJson(text);
  if (body === undefined) return 400;
  const members = ['customer', 'order', 'options', 'metadata'];
  if (!isJsonObject(body) || Object.keys(body).some((key) => !members.includes(key))) return 422;
  if (!members.every((key) => isJsonObject(body[key]))) return 422;
  const { items = [] } = body.order as { items?: { quantity?: unknown }[] };
  return Array.isArray(items) && items.every(({ quantity }) => Number.isInteger(quantity)) ? undefined : 422;
}

/** Deployments that differ in what the documentation leaves open. */
const unusualDeployments: Readonly<Record<string, (world: TargetWorld) => Answer>> = {
  'the reference deployment': (world) => createReference({ world }),
  plain: (world) => createIndependentDeployment(world),
  'strict about values': (world) =>
    createIndependentDeployment(world, {
      numericStrings: 'rejected',
      unknownCustomer: 'rejected',
      omitted: 'rejected',
      repeated: 'each-item-alone',
      empty: 404,
    }),
  'of another make': (world) =>
    createIndependentDeployment(world, {
      shape: 'grouped-by-campaign',
      order: 'by-name',
      empty: 204,
      bothFilters: 'union',
      filteredWindow: 'filter-first',
      orderMetadataRules: 'ignored',
    }),
  'each response has its own number': createVolatile,
  'no literal brackets, as in Tomcat': (world) =>
    refuse(400, ({ path }) => /[[\]]/.test(path))(createIndependentDeployment(world)),
  'no control characters in a query, as in lighttpd': (world) =>
    refuse(400, ({ path }) => /%[01][\da-f]/i.test(path))(createIndependentDeployment(world)),
  'semicolons separate parameters, as in Rack 2': (world) => (request) =>
    createIndependentDeployment(world)({ ...request, path: request.path.replaceAll(';', '&') }),
  'errors have status 200': (world) => (request) => {
    const response = createIndependentDeployment(world)(request);
    return response.status < 400 ? response : answerJson(200, { error: response.body });
  },
  'any method, path and credentials': (world) => (request) =>
    createIndependentDeployment(world)({
      ...request,
      method: 'GET',
      path: request.path.replace(/^[^?]*/, operation),
      headers: [
        ['X-Client-Application-Id', 'anybody'],
        ['X-Client-Token', 'anything'],
      ],
    }),
  'any text is true, as in Python': (world) => (request) => {
    const path = request.path.replaceAll(/audienceRulesOnly=([^&]+)/g, 'audienceRulesOnly=true');
    return createIndependentDeployment(world, { audienceRulesOnly: 'skips-order-rules' })({ ...request, path });
  },
  'behind a gateway that checks a schema': (world) => (request) => {
    const status = findSchemaViolation(request);
    if (status === undefined) return createIndependentDeployment(world)(request);
    return { ...answerJson(status, {}), headers: status === 308 ? [['Location', operation]] : [] };
  },
};

const openRows = Object.entries(unusualDeployments).map(([title, deploy]) => conforms(title, deploy));

// Tests ----------------------------------------------------------------------------------------------------------------

/** One of the faults that must be found through a deployment: the long run has all of them. */
const withOneFault = (row: DeploymentRow, n: number): DeploymentRow => {
  const { faults = visibleFaults } = row;
  return { ...row, faults: faults.slice(n % faults.length, (n % faults.length) + 1) };
};

const tables: Readonly<Record<string, readonly DeploymentRow[]>> = {
  'Shapes of responses': shapeRows,
  'Refused requests': [...refusalRows, ...limitRows],
  'A target with three ids': foreignRows,
  'A part of the test data': partRows,
  'Promotions of the deployment': ownRows,
  'What the documentation leaves open': openRows,
};
for (const [subject, rows] of Object.entries(tables))
  test.describe(subject, () => {
    for (const [n, row] of rows.entries()) {
      test(row.title, { tag: row.isLong ? '@long' : '@slow' }, () => checkDeployment(withOneFault(row, n)));
      test(`${row.title}, with all faults`, { tag: '@long' }, () => checkDeployment(row));
    }
  });

test.describe('Responses that name all promotions', () => {
  for (const [n, row] of markedRows.entries()) {
    test(row.title, () => checkDeployment(withOneFault(row, n), fewCases));
    test(`${row.title}, in all cases with all faults`, { tag: '@long' }, () => checkDeployment(row));
  }
});

test.describe('Questions', () => {
  const questions = suite.cases.flatMap(({ id, kind }) => (kind === 'question' ? id : []));
  const listAnswers = async (deploy: Deploy, target?: string, cases = questions) =>
    (await certifyRow({ deploy, target }, cases)).certificate.questions.map(({ id, outcome, reason }) => ({
      id,
      outcome,
      reason,
    }));

  for (const [n, [title, deploy]] of Object.entries(unusualDeployments).entries())
    test(`All have an outcome: ${title}`, { tag: n < 4 ? '@slow' : '@long' }, async () => {
      const answers = await listAnswers(deploy);
      expect(answers.map(({ id }) => id).toSorted()).toEqual(questions.toSorted());
      expect(answers.filter(({ outcome }) => outcome === null || outcome === undeterminedOutcome)).toEqual([]);
    });

  test('Promotions that are counted change no outcome', { tag: '@slow' }, async () => {
    expect(await listAnswers(withOwn(3), 'own_promotions: 3')).toEqual(await listAnswers(withOwn(0)));
  });

  test('An undetermined one has its reason', async () => {
    let count = 0;
    const growing: Deploy = (world) => () => {
      count += 1;
      return { status: 200, headers: [], body: JSON.stringify([...world.tiers, ...Array(count).fill({})]) };
    };
    const id = 'expand-category-effect';
    const { certificate, results } = await certifyRow({ deploy: growing }, [id]);
    const { reason } = results.find((result) => result.id === id) ?? {};
    expect(reason).toEqual(reasonOf('outcome-unclear', { reason: reasonOf('body-varies') }));
    expect(certificate.questions).toMatchObject([{ id, outcome: undeterminedOutcome, reason: renderReason(reason) }]);
  });
});
