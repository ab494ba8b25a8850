/**
 * A forger knows the code. He takes the evidence of a failing deployment, changes everything but the responses, and writes
 * the certificate that `verify` wants for it. He never gets one that is whole and conforms.
 */

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import type { Entry } from 'har-format';
import { createDeployment } from '../../reference/deployment.js';
import { findFault } from '../../reference/faults/index.js';
import { loadSuite, suiteFolder } from '../../src/cases/suite.js';
import type { Certificate } from '../../src/report/certificate.js';
import { computeDigest, type EvidenceOrigin } from '../../src/report/har-archive.js';
import { parseRecordedRun } from '../../src/targets/recorded-run.js';
import { type RejudgedRun, rejudgeRun } from '../../src/targets/rejudge.js';
import { verifyCertificate } from '../../src/targets/verify-certificate.js';
import { createChannel, inProcessCredentials } from '../proof/judge-deployment.js';
import { makeTestFolder } from './support/cli.js';
import { suite } from './support/in-process.js';
import { createArchive, runWithEvidence } from './support/run-with-evidence.js';

const folder = makeTestFolder();

/** Of each part of the documentation, and one that keeps state. */
const faultIds = [
  'window-of-149',
  'window-of-151',
  'campaign-filter-ignored',
  'result-with-metadata-filter/page-of-1',
  'quantity-ignored',
  'customer-ignored',
  'expand-refused',
  'first-rule-only',
  'get-not-allowed',
  'campaign-filter-left-over',
];

interface Use {
  case: string;
  row: number;
  request: string;
  attempt: number;
  id: string;
}
// biome-ignore lint/suspicious/noExplicitAny: a forger respects no types.
type Forged = any;
type ForgedEntry = Entry & { _id: string } & Forged;

/** Evidence as a forger has it: JSON. */
interface Evidence {
  log: { entries: ForgedEntry[]; creator: Forged; _uses: Use[]; _origin: EvidenceOrigin & Forged };
}

/** Draws numbers: the same ones for the same seed (mulberry32). */
function createDice(seed: number) {
  let state = seed;
  const roll = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  const pick = <T>(list: readonly T[]): T => list[Math.floor(roll() * list.length)] as T;
  return { pick };
}

type Dice = ReturnType<typeof createDice>;
/** @param failing the ids of the cases that failed */
type Alteration = (evidence: Evidence, failing: readonly string[], dice: Dice) => void;

const listUses = ({ log }: Evidence, ids: readonly string[]) =>
  log._uses.filter((use) => ids.some((id) => use.case === id || use.case.endsWith(`/${id}`)));
const listUsed = (evidence: Evidence, ids: readonly string[]) => {
  const used = new Set(listUses(evidence, ids).map(({ id }) => id));
  return evidence.log.entries.filter(({ _id }) => used.has(_id));
};
const dropEntries = ({ log }: Evidence, dropped: readonly ForgedEntry[]) => {
  log.entries = log.entries.filter((entry) => !dropped.includes(entry));
};
/** One of the failing cases, or all of them. */
const choose = (failing: readonly string[], { pick }: Dice) => pick([failing, failing, [pick(failing)]]);
const unjudge =
  (verdicts: readonly string[]): Alteration =>
  (evidence, failing, dice) => {
    const chosen = choose(failing, dice);
    const { extent } = evidence.log._origin;
    extent.judged = extent.judged.filter((id: string) => !chosen.includes(id));
    extent.unjudged.push(
      ...chosen.map((id) => ({ id, verdict: dice.pick(verdicts), reason: dice.pick(['', 'As documented.']) })),
    );
  };
const setSetting =
  (name: string, values: readonly unknown[]): Alteration =>
  ({ log }, _, { pick }) => {
    log._origin.inputs.settings[name] = pick(values);
  };
const setOfTarget =
  (name: string, values: readonly unknown[]): Alteration =>
  ({ log }, _, { pick }) => {
    log._origin.inputs.settings.target[name] = pick(values);
  };

const alterations: Readonly<Record<string, Alteration>> = {
  unjudge: unjudge(['pass', 'not-applicable', 'not-run', 'error', 'inconclusive']),
  'unjudge as passed': unjudge(['pass']),
  'judge nothing of the failing cases': ({ log }, failing, dice) => {
    const chosen = choose(failing, dice);
    log._origin.extent.judged = log._origin.extent.judged.filter((id: string) => !chosen.includes(id));
  },
  'judge no samples': ({ log }) => {
    log._origin.extent.judged = log._origin.extent.judged.filter((id: string) => id !== 'sampled-again');
  },
  'judge everything twice': ({ log }) => {
    log._origin.extent.judged.push(...log._origin.extent.judged);
  },
  'drop exchanges of failing cases': (evidence, failing, dice) =>
    dropEntries(evidence, listUsed(evidence, choose(failing, dice))),
  'drop an exchange': (evidence, _, { pick }) => dropEntries(evidence, [pick(evidence.log.entries)]),
  'drop uses of failing cases': (evidence, failing, dice) => {
    const chosen = choose(failing, dice);
    evidence.log._uses = evidence.log._uses.filter((use) => !chosen.includes(use.case));
  },
  'rename uses of failing cases': (evidence, failing, dice) => {
    const to = dice.pick([...evidence.log._origin.extent.judged, 'calibration', 'explore', 'none', '__proto__']);
    const chosen = choose(failing, dice);
    for (const use of evidence.log._uses) if (chosen.includes(use.case)) use.case = to;
  },
  'move uses to other exchanges': (evidence, failing, dice) => {
    for (const use of listUses(evidence, choose(failing, dice))) {
      const other = dice.pick(evidence.log._uses);
      [use.id, other.id] = [other.id, use.id];
    }
  },
  'name unknown exchanges': (evidence, failing, dice) => {
    for (const use of listUses(evidence, choose(failing, dice))) use.id = dice.pick(['', 'none', '__proto__']);
  },
  'exchange the order of uses': ({ log }, _, { pick }) => {
    log._uses = pick([log._uses.toReversed(), log._uses.toSorted(() => pick([-1, 1])), [...log._uses, ...log._uses]]);
  },
  'count attempts otherwise': (evidence, failing, dice) => {
    const by = dice.pick([1, 2, 7]);
    for (const use of listUses(evidence, choose(failing, dice))) use.attempt += by;
  },
  'duplicate exchanges': ({ log }, _, { pick }) => {
    const entry = pick(log.entries);
    log.entries.push(
      ...[1, 2].map((n) => ({ ...structuredClone(entry), _id: pick([entry._id, `${entry._id}-${n}`]) })),
    );
  },
  'exchange the order': ({ log }, _, { pick }) => {
    log.entries = pick([log.entries.toReversed(), log.entries.toSorted(() => pick([-1, 1]))]);
  },
  'give failing requests the answers to others': (evidence, failing, dice) => {
    for (const entry of listUsed(evidence, choose(failing, dice))) {
      const other = dice.pick(evidence.log.entries);
      const { request, _key, _sent, _again } = other;
      Object.assign(entry, structuredClone(dice.pick([{ request }, { request, _key, _sent, _again }])));
    }
  },
  'change requests': (evidence, failing, dice) => {
    const { baseUrl } = evidence.log._origin;
    for (const { request } of listUsed(evidence, choose(failing, dice)))
      Object.assign(
        request,
        dice.pick([
          { url: `${baseUrl}/v1/promotions/validation` },
          { url: request.url.replace(baseUrl, 'https://elsewhere.example') },
          { method: 'POST' },
          { postData: { mimeType: 'application/json', text: '{}' } },
          { headers: [] },
        ]),
      );
  },
  'share keys': (evidence, failing, dice) => {
    const other = dice.pick(evidence.log.entries);
    for (const entry of listUsed(evidence, choose(failing, dice))) [entry._key, other._key] = [other._key, entry._key];
  },
  'refer to other texts': (evidence, failing, dice) => {
    for (const { response } of listUsed(evidence, choose(failing, dice))) {
      delete response.content.text;
      response.content._text_of = dice.pick([dice.pick(evidence.log.entries)._id, 'nothing']);
    }
  },
  'lose answers': (evidence, failing, dice) => {
    const kind = dice.pick(['timed-out', 'not-sent', 'unsupported', 'unreachable', 'lost']);
    for (const entry of listUsed(evidence, choose(failing, dice)))
      Object.assign(entry, dice.pick([{ _error: { kind, message: '' } }, { _attempts: 0 }]));
  },
  'omit texts': (evidence, failing, dice) => {
    for (const { response } of listUsed(evidence, choose(failing, dice))) response.content._omitted = true;
  },
  'change statuses': (evidence, failing, dice) => {
    const status = dice.pick([0, 204, 401, 404, 429, 500, 503]);
    for (const { response } of listUsed(evidence, choose(failing, dice))) response.status = status;
  },
  'another address': ({ log }, _, { pick }) => {
    const to = pick(['https://shop.example', '', 'http://in-process.test/v1']);
    log._origin.baseUrl = to;
    if (pick([true, false]))
      for (const { request } of log.entries) request.url = request.url.replace('http://in-process.test', to);
  },
  'another suite': ({ log }, _, { pick }) => {
    const [name, value] = pick([
      ['digest', `sha256:${'0'.repeat(64)}`],
      ['name', 'another'],
      ['version', '9.9.9'],
    ] as const);
    log._origin.suite[name] = value;
  },
  'a run cut short': ({ log }, _, { pick }) =>
    Object.assign(log._origin.extent, pick([{ isCutShort: true }, { gaps: ['x'] }, { gaps: [] }, { judged: [] }])),
  'intrusive cases': setSetting('excludesIntrusive', [true, 'yes']),
  'a selection': ({ log }, failing, { pick }) => {
    const { settings } = log._origin.inputs;
    const ids: string[] = suite.cases.map(({ id }) => id);
    settings.only = pick([[], ids, ids.filter((id) => !failing.includes(id)), ['sampled-again']]);
  },
  'a limit': setSetting('limit', ['quick', 60, 150, 229, 1e6]),
  exploration: setSetting('exploration', [
    { requests: 3, seed: 1 },
    { requests: 1e9, seed: 1 },
    { requests: -1, seed: 0.5 },
  ]),
  'a baseline': setSetting('expected', [
    {
      outcomes: { $map: [] },
      schemas: [{ schema: { additionalProperties: { pattern: '^(x+x+)+y' } }, statedBy: 'the record' }],
    },
    {
      outcomes: { $map: [['error-shape', { outcome: 'none', statedBy: 'the record' }]] },
      schemas: [{ schema: { $ref: '#' }, statedBy: 'the target file' }],
      additive: 'ignore',
    },
    null,
  ]),
  'a shard': setSetting('shard', [{ current: 1, total: 2, whole: {} }]),
  notes: setSetting('notes', [[], ['Certified by the authorities.']]),
  kind: setOfTarget('kind', ['deployment', 'reference', 'other']),
  'the name': setOfTarget('name', ['The best shop', '']),
  'another operation': setOfTarget('operation', [{}, { path: '/v1/promotions/validation' }, { method: 'POST' }]),
  'another reading': setOfTarget('tierPatterns', [
    ['/*/id'],
    ['/promotions/*/id'],
    ['/promotions/data/*/id'],
    ['(x+x+)+y'],
  ]),
  'an adapter': setOfTarget('adapter', [{ name: 'x.mjs', digest: `sha256:${'0'.repeat(64)}` }]),
  'a world': setOfTarget('isWorldLoaded', [true, false]),
  capabilities: ({ log }, _, { pick }) => {
    log._origin.inputs.availability.capabilities = { $set: pick([[], ['customer'], ['product', 'sku', 'metadata']]) };
  },
  bindings: ({ log }, _, { pick }) => {
    const map = (kind: keyof typeof suite.world.ids, order: (ids: string[]) => string[]) => {
      const entries = [...suite.world.ids[kind]];
      const ids = order(entries.map(([, id]) => id));
      return { $map: entries.flatMap(([name], n) => (ids[n] === undefined ? [] : [[name, { id: ids[n], at: {} }]])) };
    };
    const keep = (ids: string[]) => ids;
    const kinds = Object.keys(suite.world.ids) as (keyof typeof suite.world.ids)[];
    const changed = pick(kinds);
    const order = pick([
      (ids: string[]) => ids.toReversed(),
      (ids: string[]) => ids.slice(1),
      (ids: string[]) => [...ids.slice(1), ids[0] ?? ''],
    ]);
    log._origin.inputs.availability.bindings = Object.fromEntries(
      kinds.map((kind) => [kind, map(kind, kind === changed ? order : keep)]),
    );
  },
};

/** Drops what no result rests on, and writes what `verify` asks for: the certificate that the suite makes of the rest. */
async function forgeCertificate(evidence: Evidence, own: Certificate): Promise<Certificate> {
  const encode = () => Buffer.from(JSON.stringify(evidence));
  const judge = async () => {
    const run = parseRecordedRun(encode(), 'evidence.har');
    return rejudgeRun(run, loadSuite(suiteFolder, run.availability));
  };
  const nothing = (): Pick<RejudgedRun, 'certificate' | 'unused'> => ({ certificate: own, unused: [] });
  const { unused } = await judge().catch(nothing);
  evidence.log.entries = evidence.log.entries.filter(({ _id }) => !unused.includes(_id));
  const { certificate: judged } = await judge().catch(nothing);
  const archive = { file: 'evidence.har', digest: computeDigest(encode()), exchanges: evidence.log.entries.length };
  const { name, version, digest } = evidence.log._origin.suite;
  const { started_at, duration_ms } = own;
  return { ...judged, suite: { name, version, digest }, started_at, duration_ms, evidence: archive };
}

async function runFailing(faultId: string) {
  const { world } = suite;
  const answer = createDeployment({ world, credentials: inProcessCredentials, faults: [findFault(faultId)] });
  const { certificate, results, evidence, origin } = await runWithEvidence(createChannel(answer));
  expect(certificate.verdict).toBe('does-not-conform');
  const text = createArchive(evidence, origin).content.toString('utf8');
  const requirementCases = results.filter(({ outcome }) => outcome === undefined);
  return {
    certificate,
    text,
    failing: requirementCases.filter(({ verdict }) => verdict !== 'pass').map(({ id }) => id),
  };
}

/** Verifying takes about a second; a machine may be busy. */
const maxMs = 120_000;

async function forge(faultId: string, from: number, to: number): Promise<void> {
  const run = await runFailing(faultId);
  const names = Object.keys(alterations);
  const file = path.join(folder, 'certificate.json');
  for (let seed = from; seed < to; seed += 1) {
    const dice = createDice(seed);
    const evidence: Evidence = JSON.parse(run.text);
    // Each alteration alone, then several together.
    const chosen = seed < names.length ? [names[seed] ?? ''] : [1, 2, 3].map(() => dice.pick(names));
    for (const name of chosen) alterations[name]?.(evidence, run.failing, dice);
    const forged = await forgeCertificate(evidence, run.certificate);
    writeFileSync(path.join(folder, 'evidence.har'), JSON.stringify(evidence));
    writeFileSync(file, JSON.stringify(forged, null, 2));
    const startedMs = performance.now();
    const { broken, certificate } = await verifyCertificate(file);
    const what = `${chosen.join(' + ')} (${seed})`;
    expect.soft(broken.length === 0 && certificate?.verdict === 'conforms', what).toBe(false);
    expect.soft(performance.now() - startedMs, what).toBeLessThan(maxMs);
  }
}

test('No forged certificate is whole and conforms', () => forge(faultIds[0] ?? '', 0, 2));

const perFault = 20;
for (const [n, faultId] of faultIds.entries())
  test(`No forged certificate of a deployment with '${faultId}' is whole and conforms`, { tag: '@long' }, () =>
    forge(faultId, n * perFault, (n + 1) * perFault),
  );
