import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { selectFromSuite } from '../../src/cases/case-selection.js';
import { loadSuite, type Suite, suiteFolder } from '../../src/cases/suite.js';
import type { Exchange, HttpResponse } from '../../src/http/exchange.js';
import { judgeDifferences, readAcceptedDifferences } from '../../src/report/compare/accepted-differences.js';
import { type AnsweredRun, compareAnsweredRuns, judgeComparison } from '../../src/report/compare/compare-runs.js';
import { renderMigrationMarkdown, renderMigrationSentence } from '../../src/report/compare/migration-report.js';
import type { World } from '../../src/world/world.js';
import { credentialVariables, makeTestFolder, runConformance, runConformanceInProcess } from './support/cli.js';
import { certifyOver, channelTo, createBindings, createReference, suite as whole } from './support/in-process.js';
import { createIndependentDeployment, listen } from './support/independent-deployment.js';
import { collectAnswers } from './support/run-with-evidence.js';

const folder = makeTestFolder();

const ids = ['reserved-for-one-customer', 'integer-quantity', 'sampled-again'];
const suite = selectFromSuite(whole, { only: ids });

/** A world in which one tier for Ann is not for her. */
function removeTierOfAnn(world: World): World {
  const rules = [{ kind: 'customer', any_of: [whole.world.ids.customer.get('bulk') as string] }] as const;
  const tiers = world.tiers.map((tier) => (tier.name === 'for-ann' ? { ...tier, rules } : tier));
  return { ...world, tiers };
}

const runOn = (name: string, world: World, own: Suite = suite) =>
  collectAnswers(name, channelTo(createReference({ world })), own);

/** Changes the exchanges of a run. */
function withExchanges(run: AnsweredRun, change: (exchange: Exchange, n: number) => Exchange): AnsweredRun {
  const exchanges = [...run.evidence.exchanges].map((kept, n) => ({ ...kept, exchange: change(kept.exchange, n) }));
  return { ...run, evidence: { ...run.evidence, exchanges } };
}

const responding = (response: Partial<HttpResponse>) => (exchange: Exchange) =>
  'response' in exchange ? { ...exchange, response: { ...exchange.response, ...response } } : exchange;

const failing =
  (transportError: 'timed-out' | 'not-sent') =>
  ({ request }: Exchange): Exchange => ({ request, transportError, message: 'It did not come.' });

/** The suite for a deployment with ids of its own. @param hasNot names of missing things */
function boundSuite(hasNot: readonly string[] = []): Suite {
  const bindings = createBindings((kind, name) =>
    hasNot.includes(name) ? undefined : `its-own-${kind}-${name}-of-mine`,
  );
  const bound = loadSuite(suiteFolder, { bindings });
  return selectFromSuite(bound, { only: ids });
}

test("Messages show the target's own ids beside the names", async () => {
  const own = boundSuite();
  const violating = createReference({ world: own.world, faults: ['customer-ignored'] });
  const { certificate } = await certifyOver(channelTo(violating), own);
  const reasons = certificate.requirements.flatMap(({ cases }) => cases.map(({ reason }) => reason ?? ''));
  expect(reasons.join('\n')).toMatch(/'for-ann' \(its-own-tier-for-ann-of-mine, rank \d+: is for customer ann /);
});

const today = '2027-03-31';

test.describe('The answers of two targets', () => {
  let live: Awaited<ReturnType<typeof runOn>>;
  test.beforeAll(async () => {
    live = await runOn('live', whole.world);
  });

  test('are the same if they name the same tiers under different ids', async () => {
    const own = boundSuite();
    const mock = await runOn('mock', own.world, own);
    const likeness = compareAnsweredRuns(live, mock);
    expect(likeness.differences).toEqual([]);
    expect(likeness.notCompared).toEqual([]);
    expect(likeness.compared).toBeGreaterThan(5);
    expect(judgeComparison(likeness)).toBe('same');
  });

  test('differ in one promotion for one customer, and the request shows it', async () => {
    const mock = await runOn('mock', removeTierOfAnn(whole.world));
    const likeness = compareAnsweredRuns(live, mock);
    expect(judgeComparison(likeness)).toBe('different');
    const [found, ...others] = likeness.differences;
    expect(others).toEqual([]);
    expect(found).toMatchObject({ statuses: [200, 200], only: [['for-ann'], []] });
    expect(found?.places[0]).toBe('reserved-for-one-customer: ann');
    for (const [n, command] of (found?.commands ?? []).entries()) {
      expect(command).toContain(`http://${['live', 'mock'][n]}.test/v1/promotions/validation`);
      expect(command).toContain(`"customer":{"id":"${whole.world.ids.customer.get('ann')}"}`);
      expect(command).toContain('$CLIENT_TOKEN');
    }
    const report = {
      comparison: likeness,
      names: ['live', 'mock'],
      ...judgeDifferences(likeness.differences, [], today),
    } as const;
    expect(renderMigrationMarkdown(report).text).toContain('- only live returns for-ann\n');
    const count = found?.requests ?? 0;
    expect(renderMigrationSentence(report)).toBe(
      `Of ${likeness.compared} requests, mock returns the same promotions as live for ${likeness.compared - count}; ${count} differ, because it returns fewer promotions for ${count} (order).`,
    );
  });

  test('may differ as accepted, until a day, and each entry must be exact', async () => {
    const { differences } = compareAnsweredRuns(live, await runOn('mock', removeTierOfAnn(whole.world)));
    const file = path.join(folder, 'accepted.yaml');
    const judge = (entries: string) => {
      writeFileSync(file, `accept:\n${entries}`);
      return judgeDifferences(differences, readAcceptedDifferences(file), today);
    };
    const entry = (kind: string, difference: string, rest = '') =>
      `  - { kind: ${kind}, difference: ${difference}, reason: agreed${rest} }\n`;
    expect(judge(entry('order', 'narrower'))).toMatchObject({
      counted: [],
      outdated: [],
      accepted: [{ reason: 'agreed' }],
    });
    expect(judge(entry('order', 'narrower', `, until: ${today}`))).toMatchObject({ counted: [], outdated: [] });
    expect(judge(entry('order', 'narrower', ', until: 2027-03-30'))).toMatchObject({
      counted: differences,
      accepted: [],
      outdated: [expect.stringContaining('counts again')],
    });
    expect(judge(entry('order', 'narrower') + entry('expand', 'wider'))).toMatchObject({
      counted: [],
      outdated: [expect.stringContaining("'expand: wider' matches no difference")],
    });
    expect(judge(entry('order', 'narrower').repeat(2)).outdated).toHaveLength(1);
    expect(() => judge(entry('order', 'narower'))).toThrow(/accepted.yaml:2:/);
  });

  test('are not compared for data that one of them lacks', async () => {
    const own = boundSuite(['window-last-but-one', 'ben']);
    const mock = await runOn('mock', own.world, own);
    const likeness = compareAnsweredRuns(live, mock);
    expect(likeness.differences).toEqual([]);
    expect(likeness.notCompared.length).toBeGreaterThan(0);
    for (const { reason, isOpen } of likeness.notCompared)
      expect([reason, isOpen]).toEqual(['mock did not get this request.', false]);
    expect(compareAnsweredRuns(mock, live).notCompared).toEqual(likeness.notCompared);
  });

  test('differ if only the status does', () => {
    const likeness = compareAnsweredRuns(live, withExchanges(live, responding({ status: 201 })));
    for (const { statuses, only, relation } of likeness.differences)
      expect([statuses, only, relation]).toEqual([[200, 201], [[], []], 'different']);
    expect(likeness.differences.reduce((sum, { requests }) => sum + requests, 0)).toBe(likeness.compared);
    expect([...likeness.comparedByKind.values()].reduce((sum, count) => sum + count, 0)).toBe(likeness.compared);
  });

  test('are undetermined if one is missing or unreadable, unless both fail in the same way', () => {
    const changes = {
      'a transport error': failing('timed-out'),
      'a transient status': responding({ status: 503 }),
      'ids outside of any JSON value': (exchange: Exchange) =>
        'response' in exchange ? responding({ body: `{${exchange.response.body}` })(exchange) : exchange,
      'a request that was not sent': failing('not-sent'),
    };
    for (const [what, change] of Object.entries(changes)) {
      const all = compareAnsweredRuns(live, withExchanges(live, change));
      expect([what, judgeComparison(all), all.compared]).toEqual([what, 'undetermined', 0]);
      const once = withExchanges(live, (each, n) => (n === 7 ? change(each) : each));
      expect([what, judgeComparison(compareAnsweredRuns(live, once))]).toEqual([what, 'undetermined']);
      const both = compareAnsweredRuns(once, once);
      const areAlike = what.startsWith('a trans');
      expect([what, judgeComparison(both)]).toEqual([what, areAlike ? 'same' : 'undetermined']);
      expect(both.notCompared.length).toBeGreaterThan(0);
    }
    const nothing = { ...live, evidence: { exchanges: [], uses: [] } };
    expect(compareAnsweredRuns(nothing, nothing)).toMatchObject({ compared: 0, differences: [], notCompared: [] });
    expect(judgeComparison(compareAnsweredRuns(nothing, nothing))).toBe('undetermined');
  });

  test('prove nothing if a target answers the same request differently', () => {
    const [first] = live.evidence.uses.filter((use) => use.case === 'reserved-for-one-customer');
    const again = live.evidence.exchanges.find(({ id }) => id === first?.id);
    if (first === undefined || again === undefined) throw new Error('The case has no exchange.');
    const moody: AnsweredRun = {
      ...live,
      evidence: {
        exchanges: [
          ...live.evidence.exchanges,
          { ...again, id: 'again', exchange: responding({ status: 500 })(again.exchange) },
        ],
        uses: [...live.evidence.uses, { ...first, id: 'again', attempt: 2 }],
      },
    };
    const { notCompared } = compareAnsweredRuns(live, moody);
    expect(notCompared[0]).toMatchObject({
      reason: 'live: its answers to this request differ',
      isOpen: true,
    });
  });
});

function targetFile(name: string, text: string): string {
  writeFileSync(path.join(folder, `${name}.yaml`), `name: ${name}\n${text}`);
  return `${name}.yaml`;
}

test('Targets that cannot be told apart are refused before anything is sent', async () => {
  const [one, two] = ['one', 'two'].map((name) => targetFile(name, 'base_url: https://a.test\n')) as [string, string];
  writeFileSync(path.join(folder, 'twin.yaml'), 'name: one\nbase_url: https://b.test\n');
  const both = ['--target', one, '--target', two];
  for (const [args, said] of [
    [['certify', ...both, '--base-url', 'https://c.test'], 'would replace the base_url of every target file'],
    [['certify', ...both, '--reference'], '--reference: works with a single target only'],
    [['certify', ...both, '--against', 'record.yaml'], '--against: works with a single target only'],
    [['certify', ...both, '--watch'], '--watch: works with a single target only'],
    [['record', ...both, '--to', 'record.yaml'], '--to: works with a single target only'],
    [['certify', ...both, '--same-as', 'tow'], "--same-as: 'tow' is none of the targets\n    Did you mean 'two'?"],
    [['certify', '--target', one, '--same-as', 'one'], '--same-as: compares several targets'],
    [['certify', '--target', one, '--target', 'twin.yaml'], 'twin.yaml: has the same name as one.yaml'],
    [['certify', ...both, '--target', 'none.yaml'], 'none.yaml:1:1: cannot be read'],
    [['doctor', ...both], 'name more than one deployment'],
  ] as const) {
    const { status, output } = await runConformanceInProcess(args, { cwd: folder, env: credentialVariables });
    expect([status, output]).toEqual([2, expect.stringContaining(said)]);
  }
  // Said once, though it is so for each.
  const { output } = await runConformanceInProcess(['certify', ...both], { cwd: folder });
  expect(output.match(/CLIENT_TOKEN: is not set/g)).toHaveLength(1);
});

test('@long --same-as runs targets at the same time and fails if one promotion differs for one customer', async () => {
  const tokens = { live: new Set<string>(), mock: new Set<string>() };
  const served = async (name: 'live' | 'mock', world: World) => {
    const answer = createIndependentDeployment(world);
    return listen((request) => {
      const value = (wanted: string) => request.headers.find(([header]) => header.toLowerCase() === wanted)?.[1] ?? '';
      tokens[name].add(value('x-client-token'));
      return answer(request);
    });
  };
  const servers = [await served('live', whole.world), await served('mock', removeTierOfAnn(whole.world))] as const;
  const live = targetFile('live', `base_url: ${servers[0].url}\ncredentials: { token: $LIVE_TOKEN }\n`);
  const mock = targetFile('mock', `base_url: ${servers[1].url}\n`);
  const args = ['certify', '--target', live, '--target', mock, '--same-as', 'live'];
  const run = (...more: string[]) =>
    runConformance([...args, ...more], {
      cwd: folder,
      env: { ...credentialVariables, LIVE_TOKEN: 'the-token-of-live' },
    });
  const { status, output } = await run('--only', 'audience-rules-only-values,order.quantity');
  const alike = await run('--only', 'integer-quantity-of-a-sku', '--out', 'alike');
  await Promise.all(servers.map(({ close }) => close()));
  expect([status, output]).toEqual([1, expect.stringContaining('differ, because it returns fewer promotions for ')]);
  expect(output.indexOf('Target live')).toBeLessThan(output.indexOf('Target mock'));
  for (const name of ['live', 'mock'])
    expect(existsSync(path.join(folder, 'results', name, 'partial', 'certificate.json')), name).toBe(true);
  const differences = readFileSync(path.join(folder, 'results/mock/partial/differences.md'), 'utf8');
  expect(differences).toContain(`${servers[1].url}/v1/promotions/validation`);
  expect(differences).toContain(whole.world.ids.customer.get('ann'));
  expect([alike.status, alike.output]).toEqual([
    0,
    expect.stringMatching(/Of (\d+) requests, mock returns the same promotions as live for \1\.\n/),
  ]);
  expect([...tokens.live]).toEqual(['the-token-of-live']);
  expect([...tokens.mock]).toEqual([credentialVariables.CLIENT_TOKEN]);
});
