/** The page of the proof and the figures of the README: they say what was measured, and the measurements can fail. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { groupBy } from '../../src/support/collections.js';
import { packageRoot } from '../../src/support/package-root.js';
import { readFleetRecords, readGrades } from '../../tools/fleets/fleet-records.js';
import { mergeData, type RecordedData } from '../../tools/own-data/recorded-data.js';
import { drawTerminal, terminalPicture } from '../../tools/pictures/terminal-picture.js';
import { listGeneratedFaults } from '../../tools/proof/generated-faults.js';
import { faultsWithStories } from '../../tools/proof/list-faults.js';
import { measureConformingDeployments } from '../../tools/proof-page/conforming-deployments.js';
import { constantServers, measureConstantServers } from '../../tools/proof-page/constant-servers.js';
import { type FaultCount, type ProofData, readProofData } from '../../tools/proof-page/proof-data.js';
import { renderReadmeFigures } from '../../tools/proof-page/render-figures.js';
import { renderOwnData, renderPart, renderProofPage } from '../../tools/proof-page/render-page.js';
import { renderProofDocuments } from '../../tools/proof-page/write-page.js';
import { readRecordedRuns } from '../../tools/proxies/recorded-runs.js';
import { software } from '../../tools/proxies/software.js';
import { createReference, suite } from '../support/in-process.js';

const outOfDate = 'Out of date: run `npm run update` and review the diff.';
const again =
  'Measured too long ago: run `npm run proof`, or the part of it that differs, such as `npm run proof -- faults`.';

test('docs/proof.md and the figures of the README are those of the measurement', () => {
  for (const [file, text] of renderProofDocuments())
    expect(readFileSync(file, 'utf8'), `${path.relative(packageRoot, file)}: ${outOfDate}`).toBe(text);
});

test('What the command prints of a part stands on the page', () => {
  const data = readProofData();
  const page = renderProofPage(data, suite.world);
  for (const render of Object.values(renderPart)) for (const figures of render(data)) expect(page).toContain(figures);
});

const countBy = <Item>(items: readonly Item[], classOf: (item: Item) => string) =>
  Object.fromEntries([...groupBy(items, classOf)].map(([name, some]) => [name, some.length]));
const readCounts = (counts: Readonly<Record<string, FaultCount>>) =>
  Object.fromEntries(Object.entries(counts).map(([name, { faults }]) => [name, faults]));

test('The faults that were measured are those of today', () => {
  const { withStory, generated } = readProofData().faults;
  expect(readCounts(withStory), again).toEqual(countBy(faultsWithStories, ({ breaks }) => breaks));
  const visible = listGeneratedFaults().filter(({ invisibility }) => invisibility === undefined);
  expect(readCounts(generated), again).toEqual(countBy(visible, ({ kind }) => kind));
});

test('What is found on generated data stands beside what other runs on the same data found', () => {
  const shop = { fleet: 'go', tiers: 60, seed: 1, measured: '2026-11-29', right: 'conforms' } as const;
  const part: RecordedData = { ...shop, mistakes: { a: 'found', b: 'missed', c: 'not-visible' } };
  const other: RecordedData = { ...shop, mistakes: { b: 'found', d: 'found' } };
  const mistakes = { a: 'found', b: 'found', c: 'not-visible', d: 'found' };
  expect(mergeData(mergeData([], part), other)).toEqual([{ ...shop, mistakes }]);
  // Other data replaces it, and other shops stay.
  const [later, larger] = [
    { ...other, seed: 2 },
    { ...part, tiers: 300 },
  ];
  expect(mergeData(mergeData([part], larger), later)).toEqual([later, larger]);
});

test('The page names what is missed on generated data, and a right deployment that fails', () => {
  const shop = { fleet: 'go', tiers: 60, seed: 1, measured: '2026-11-29', right: 'does-not-conform' } as const;
  const section = renderOwnData([{ ...shop, mistakes: { a: 'found', b: 'missed', c: 'found', d: 'found' } }]);
  for (const text of [
    'Of 4 visible mistakes, the runs found 3 (75 %)',
    'without a mistake, 1 failed',
    '`go/b` (60 tiers)',
  ])
    expect(section).toContain(text);
});

test('The page and the figures name what survives', () => {
  const data = readProofData();
  const survivor = 'text/of-nobody';
  const wrong: ProofData = {
    ...data,
    faults: { ...data.faults, generated: { text: { faults: 2, found: 1 } }, survivors: [survivor] },
    code: { ...data.code, byFile: { 'order.js': { hidden: 1 } }, survivors: ['order.js:1:1 BlockStatement: {}'] },
    conforming: {
      ...data.conforming,
      kinds: data.conforming.kinds.map((kind) => ({ ...kind, failed: ['a shape of its own'] })),
      survivors: ['a shape of its own'],
    },
  };
  const page = renderProofPage(wrong, suite.world);
  for (const text of [`Not found: \`${survivor}\``, 'Hidden: `order.js:1:1', 'Failed: a shape of its own'])
    expect(page).toContain(text);
  expect(page).not.toContain('Every fault is found.');
  expect(renderReadmeFigures(wrong)).not.toContain('finds all of these,');
  expect(renderReadmeFigures(wrong)).not.toContain('None of');
});

test('A server that does not look at its requests passes few cases, and the reference deployment passes all', async () => {
  const nothing = constantServers.filter(({ answers }) => answers === 'an empty list');
  const servers = [...nothing, { answers: 'what is right', create: () => createReference() }];
  const [empty, right] = await measureConstantServers(suite, servers);
  expect(empty?.verdict).not.toBe('conforms');
  expect(empty?.passed).toBeLessThan(20);
  expect(right).toMatchObject({ verdict: 'conforms', passed: right?.cases, requirementsPassed: right?.requirements });
});

test('No server that does not look at its requests conformed, and no conforming deployment failed', () => {
  const { constant, conforming } = readProofData();
  expect(constant.servers.map(({ answers }) => answers)).toEqual(constantServers.map(({ answers }) => answers));
  expect([...constant.survivors, ...conforming.survivors]).toEqual([]);
});

test('All that the proof measures is as it was measured', { tag: '@long' }, async () => {
  const { constant, conforming } = readProofData();
  expect(await measureConstantServers(suite), again).toEqual(constant.servers);
  expect(await measureConformingDeployments(), again).toEqual(conforming.kinds);
});

test('The recorded runs through software are those of its present configurations', () => {
  const runs = readRecordedRuns();
  expect(runs.length).toBeGreaterThan(10);
  for (const { software: name, variant, expected, isRight } of runs) {
    const title = `${name}, ${variant}: run \`npm run proxies -- ${name} ${variant}\``;
    expect(software.find((program) => program.name === name)?.variants[variant]?.verdict, title).toBe(expected);
    expect(isRight, title).toBe(true);
  }
});

test('The records of fleets agree with the grades, and what was not found is missed or open by a question', () => {
  const reasons = new Set(['missed', 'incomplete', ...suite.contract.questions.map(({ id }) => id)]);
  for (const [fleet, { mistakes, found, unfound }] of Object.entries(readFleetRecords())) {
    expect(found + Object.keys(unfound).length, fleet).toBe(mistakes);
    expect(readGrades(fleet).length, fleet).toBeLessThanOrEqual(mistakes);
    expect(
      Object.values(unfound).filter((why) => !reasons.has(why)),
      fleet,
    ).toEqual([]);
  }
});

test('The picture of the terminal is a run of today, loads nothing, and fits a page of 830 pixels', async () => {
  const picture = await drawTerminal();
  expect(readFileSync(path.join(packageRoot, terminalPicture), 'utf8'), outOfDate).toBe(picture);
  expect(picture).toContain('DOES-NOT-CONFORM');
  expect(picture).not.toMatch(/href|url\(|<image|<style|<script/);
  const [, width = '', size = ''] = /width="(\d+)"[\s\S]*font-size="([\d.]+)"/.exec(picture) ?? [];
  // What a reader sees on a page that is 830 pixels wide.
  expect((Number(size) * 830) / Math.max(830, Number(width))).toBeGreaterThan(12);
});
