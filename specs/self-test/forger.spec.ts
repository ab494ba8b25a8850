/**
 * A forger knows the code. He takes the evidence of a failing deployment, changes everything but the responses, and writes
 * the certificate that `verify` wants for it. He never gets one that is whole and conforms.
 */

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import type { Entry } from 'har-format';
import { loadSuite, suiteFolder } from '../../src/cases/suite.js';
import type { ExchangeUse } from '../../src/engine/evidence-keeper.js';
import type { Certificate } from '../../src/report/certificate.js';
import { computeDigest, type EvidenceOrigin } from '../../src/report/har-archive.js';
import { parseRecordedRun } from '../../src/targets/recorded-run.js';
import { type RejudgedRun, rejudgeRun } from '../../src/targets/rejudge.js';
import { verifyCertificate } from '../../src/targets/verify-certificate.js';
import { thingKinds } from '../../src/world/named-world.js';
import { createRandom } from './support/chaos.js';
import { makeTestFolder } from './support/cli.js';
import { channelTo, createReference, suite } from './support/in-process.js';
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

type Use = { -readonly [Member in keyof ExchangeUse]: ExchangeUse[Member] };
// biome-ignore lint/suspicious/noExplicitAny: a forger respects no types.
type Forged = any;
type ForgedEntry = Entry & { _id: string } & Forged;

/** Evidence as a forger has it: JSON. */
interface Evidence {
  log: { entries: ForgedEntry[]; creator: Forged; _uses: Use[]; _origin: EvidenceOrigin & Forged };
}

/** What an alteration changes, and what it chooses from. */
interface Draw {
  readonly log: Evidence['log'];
  readonly origin: Forged;
  /** The ids of the failing cases, or of one of them. */
  readonly chosen: readonly string[];
  /** Of the chosen cases. */
  readonly uses: readonly Use[];
  readonly entries: readonly ForgedEntry[];
  pick<T>(list: readonly T[]): T;
}
type Alteration = (draw: Draw) => void;

function draw({ log }: Evidence, failing: readonly string[], pick: Draw['pick']): Draw {
  const chosen = pick([failing, failing, [pick(failing)]]);
  const uses = log._uses.filter((use) => chosen.some((id) => use.case === id || use.case.endsWith(`/${id}`)));
  const used = new Set(uses.map(({ id }) => id));
  return { log, origin: log._origin, chosen, uses, entries: log.entries.filter(({ _id }) => used.has(_id)), pick };
}

const without = <T>(list: readonly T[], dropped: readonly T[]) => list.filter((each) => !dropped.includes(each));
const shuffle = <T>(list: readonly T[], pick: Draw['pick']) =>
  pick([list.toReversed(), list.toSorted(() => pick([-1, 1]))]);
/** Replaces a setting of the run, or a statement about the target. */
const setTo =
  (name: string, values: readonly unknown[]): Alteration =>
  ({ origin, pick }) => {
    const [member, ofTarget] = name.split('.');
    const { settings } = origin.inputs;
    if (ofTarget === undefined) settings[member ?? ''] = pick(values);
    else settings.target[ofTarget] = pick(values);
  };

const alterations: Readonly<Record<string, Alteration>> = {
  unjudge: ({ origin: { extent }, chosen, pick }) => {
    extent.judged = without(extent.judged, chosen);
    extent.unjudged.push(...chosen.map((id) => ({ id, ...pick([{}, { error: '' }]) })));
  },
  'judge nothing of the failing cases': ({ origin: { extent }, chosen }) => {
    extent.judged = without(extent.judged, chosen);
  },
  'judge no samples': ({ origin: { extent } }) => {
    extent.judged = without(extent.judged, ['sampled-again']);
  },
  'judge everything twice': ({ origin: { extent } }) => extent.judged.push(...extent.judged),
  'drop exchanges of failing cases': ({ log, entries }) => {
    log.entries = without(log.entries, entries);
  },
  'drop an exchange': ({ log, pick }) => {
    log.entries = without(log.entries, [pick(log.entries)]);
  },
  'drop uses of failing cases': ({ log, uses }) => {
    log._uses = without(log._uses, uses);
  },
  'rename uses of failing cases': ({ origin, uses, pick }) => {
    const to = pick([...origin.extent.judged, 'calibration', 'explore', 'none', '__proto__']);
    for (const use of uses) use.case = to;
  },
  'move uses to other exchanges': ({ log, uses, pick }) => {
    for (const use of uses) {
      const other = pick(log._uses);
      [use.id, other.id] = [other.id, use.id];
    }
  },
  'name unknown exchanges': ({ uses, pick }) => {
    for (const use of uses) use.id = pick(['', 'none', '__proto__']);
  },
  'exchange the order of uses': ({ log, pick }) => {
    log._uses = pick([shuffle(log._uses, pick), [...log._uses, ...log._uses]]);
  },
  'count attempts otherwise': ({ uses, pick }) => {
    const by = pick([1, 2, 7]);
    for (const use of uses) use.attempt += by;
  },
  'duplicate exchanges': ({ log, pick }) => {
    const entry = pick(log.entries);
    for (const _id of [entry._id, `${entry._id}-2`]) log.entries.push({ ...structuredClone(entry), _id });
  },
  'exchange the order': ({ log, pick }) => {
    log.entries = shuffle(log.entries, pick);
  },
  'give failing requests the answers to others': ({ log, entries, pick }) => {
    for (const entry of entries) {
      const { request, _sent, _again } = pick(log.entries);
      Object.assign(entry, structuredClone(pick([{ request }, { request, _sent, _again }])));
    }
  },
  'change requests': ({ entries, origin: { baseUrl }, pick }) => {
    for (const { request } of entries) {
      const elsewhere = { url: request.url.replace(baseUrl, 'https://elsewhere.example') };
      const body = { postData: { mimeType: 'application/json', text: '{}' } };
      const plain = { url: `${baseUrl}/v1/promotions/validation` };
      Object.assign(request, pick<object>([plain, elsewhere, { method: 'POST' }, body, { headers: [] }]));
    }
  },
  'refer to other texts': ({ log, entries, pick }) => {
    for (const { response } of entries) {
      delete response.content.text;
      response.content._text_of = pick([pick(log.entries)._id, 'nothing']);
    }
  },
  'lose answers': ({ entries, pick }) => {
    const kind = pick(['timed-out', 'not-sent', 'unsupported', 'unreachable', 'lost']);
    for (const entry of entries) Object.assign(entry, pick([{ _error: { kind, message: '' } }, { _attempts: 0 }]));
  },
  'omit texts': ({ entries }) => {
    for (const { response } of entries) response.content._omitted = true;
  },
  'change statuses': ({ entries, pick }) => {
    const status = pick([0, 204, 401, 404, 429, 500, 503]);
    for (const { response } of entries) response.status = status;
  },
  'another address': ({ log, origin, pick }) => {
    const to = pick(['https://shop.example', '', 'http://in-process.test/v1']);
    origin.baseUrl = to;
    if (pick([true, false]))
      for (const { request } of log.entries) request.url = request.url.replace('http://in-process.test', to);
  },
  'another suite': ({ origin: { suite: stated }, pick }) =>
    Object.assign(stated, pick([{ digest: `sha256:${'0'.repeat(64)}` }, { name: 'another' }, { version: '9.9.9' }])),
  'a run cut short': ({ origin: { extent }, pick }) =>
    Object.assign(extent, pick([{ isCutShort: true }, { judged: [] }])),
  'intrusive cases': setTo('excludesIntrusive', [true, 'yes']),
  'a selection': (drawn) => {
    const ids: string[] = suite.cases.map(({ id }) => id);
    setTo('only', [[], ids, without(ids, drawn.chosen), ['sampled-again']])(drawn);
  },
  'a limit': setTo('limit', ['quick', 60, 150, 229, 1e6]),
  exploration: setTo('exploration', [
    { requests: 3, seed: 1 },
    { requests: 1e9, seed: 1 },
    { requests: -1, seed: 0.5 },
  ]),
  'a baseline': setTo('expected', [
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
  notes: setTo('notes', [[], ['Certified by the authorities.']]),
  kind: setTo('target.kind', ['deployment', 'reference', 'other']),
  'the name': setTo('target.name', ['The best shop', '']),
  'another operation': setTo('target.operation', [{}, { path: '/v1/promotions/validation' }, { method: 'POST' }]),
  'another reading': setTo('target.tierPatterns', [
    ['/*/id'],
    ['/promotions/*/id'],
    ['/promotions/data/*/id'],
    ['(x+)+y'],
  ]),
  'an adapter': setTo('target.adapter', [{ name: 'x.mjs', digest: `sha256:${'0'.repeat(64)}` }]),
  'a world': setTo('target.isWorldLoaded', [true, false]),
  capabilities: ({ origin, pick }) => {
    origin.inputs.availability.capabilities = { $set: pick([[], ['customer'], ['product', 'sku', 'metadata']]) };
  },
  bindings: ({ origin, pick }) => {
    const changed = pick(thingKinds);
    const reorder = pick([
      (ids: string[]) => ids.toReversed(),
      (ids: string[]) => ids.slice(1),
      (ids: string[]) => [...ids.slice(1), ids[0] ?? ''],
    ]);
    origin.inputs.availability.bindings = Object.fromEntries(
      thingKinds.map((kind) => {
        const own = [...suite.world.ids[kind].values()];
        const ids = kind === changed ? reorder(own) : own;
        const names = [...suite.world.ids[kind].keys()].slice(0, ids.length);
        return [kind, { $map: names.map((name, n) => [name, { id: ids[n], at: {} }]) }];
      }),
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
  const channel = channelTo(createReference({ faults: [faultId] }));
  const { certificate, results, evidence, origin } = await runWithEvidence(channel);
  expect(certificate.verdict).toBe('does-not-conform');
  const requirementCases = results.filter(({ outcome }) => outcome === undefined);
  return {
    certificate,
    text: createArchive(evidence, origin).content.toString('utf8'),
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
    const random = createRandom(seed);
    const pick: Draw['pick'] = (list) => list[Math.floor(random() * list.length)] as (typeof list)[number];
    const evidence: Evidence = JSON.parse(run.text);
    // Each alteration alone, then several together.
    const chosen = seed < names.length ? [names[seed] ?? ''] : [1, 2, 3].map(() => pick(names));
    for (const name of chosen) alterations[name]?.(draw(evidence, run.failing, pick));
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
