/** The page of a run in a real browser: what people do with it. `hostile-texts.spec.ts` shows that a deployment can do nothing there. */

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, type Page, test } from '@playwright/test';
import axe from 'axe-core';
import { getRequirementOrQuestionId } from '../../src/cases/test-case.js';
import type { Certificate } from '../../src/certificate/certificate.js';
import { diagnoseRun } from '../../src/explanation/diagnose-run.js';
import { createRecognizer } from '../../src/recognition/recognizer.js';
import { createBaseline } from '../../src/record/drift.js';
import type { StartRunOptions } from '../../src/run/run.js';
import type { Suite } from '../../src/suite/suite.js';
import { indexExchanges } from '../../tools/proof/judge-deployment.js';
import { usePages } from '../support/browser.js';
import { makeTestFolder } from '../support/cli.js';
import { type Answer, certifyOver, channelTo, createReference, suite } from '../support/in-process.js';
import { renderOutput } from '../support/render-output.js';

const folder = makeTestFolder();
const openPage = usePages();

const deploymentWith = (...faults: string[]): Answer => createReference({ faults });
const honest = deploymentWith();

interface PageOptions extends StartRunOptions {
  readonly suite?: Suite;
}

/** The page of a run against a deployment, and its certificate. */
async function pageOf(
  answer: Answer,
  { suite: cases = suite, ...options }: PageOptions = {},
): Promise<{ html: string; certificate: Certificate }> {
  const run = await certifyOver(channelTo(answer), cases, options);
  const exchanges = indexExchanges(run.evidence, createRecognizer(cases.world));
  const { causes } = diagnoseRun({
    suite: cases,
    results: run.results,
    index: exchanges,
    statedPatterns: undefined,
    known: undefined,
    contrasts: [],
  });
  const certificate = { ...run.certificate, causes };
  return { html: renderOutput('certificate.html', { ...run, certificate }, cases), certificate };
}

interface Opened {
  readonly page: Page;
  /** What the browser complained of, or requested elsewhere. */
  readonly complaints: readonly string[];
}

/** Opens a page from disk. */
async function open(html: string, { at = '' } = {}): Promise<Opened> {
  const file = path.join(folder, 'certificate.html');
  writeFileSync(file, html);
  const page = await openPage();
  await page.setViewportSize({ width: 1280, height: 900 });
  page.setDefaultTimeout(20_000);
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('dialog', (dialog) => complaints.push(dialog.message()));
  page.on('request', (request) => {
    if (!request.url().startsWith('file:')) complaints.push(request.url());
  });
  await page.goto(`${pathToFileURL(file).href}${at}`);
  return { page, complaints };
}

/** Cases that fail where the window is of 151, and what the tasks below ask for. */
const few = ['window-with-few-valid', 'every-valid-tier', 'item-with-product-id', 'quantity-numeric-string'];
const fewCases: Suite = {
  ...suite,
  cases: suite.cases.filter(
    (testCase) => few.includes(testCase.id) || getRequirementOrQuestionId(testCase) === 'limit.newest-150',
  ),
};

test('The page of a failing run shows what people look for', async () => {
  const { html } = await pageOf(deploymentWith('window-of-151'), { suite: fewCases });
  const { page, complaints } = await open(html);
  // What is wrong, and which requirement fails.
  const failing = page.locator('#attention .card[data-is=fail]');
  await expect(failing.first().locator('h3').first()).toContainText('newest 151 ');
  await expect(failing.first()).toContainText("'beyond-first'");
  await expect(failing.first()).toContainText('Requirements that fail: limit.newest-150.');
  // The command that shows it again, in a case that the link opens.
  await failing.getByRole('link', { name: 'limit.newest-150' }).first().click();
  const testCase = page.locator('#limit\\.newest-150');
  await expect(testCase.getByText(/curl -gi/).first()).toBeVisible();
  await expect(testCase.getByText(/\.yaml:\d+:\d+$/).first()).toBeVisible();
  // What the target does with a numeric string.
  const question = page.locator('#quantity-numeric-string');
  await expect(question).toContainText('meets a threshold of 3 and no higher one.');
  await expect(question.locator('code.badge')).toHaveText('as-number');
  expect(complaints).toEqual([]);
  await page.close();
});

test('A failing case has its failing rows, and the command that sends the decisive request', async () => {
  const filtering = { ...suite, cases: suite.cases.filter(({ id }) => id === 'campaign-filter') };
  const { html, certificate } = await pageOf(deploymentWith('campaign-filter-ignored'), { suite: filtering });
  const rows = certificate.requirements.flatMap(({ cases }) => cases.flatMap((entry) => entry.rows ?? []));
  expect(rows.length).toBeGreaterThan(1);
  const { page } = await open(html);
  const testCase = page.locator('#campaign-filter');
  await expect(testCase).toContainText('curl -gi');
  for (const { title, reason } of rows) {
    await expect(testCase).toContainText(title);
    await expect(testCase).toContainText(reason);
  }
  await page.close();
});

test.describe('the page of any run', { tag: '@long' }, () => {
  /** Not every answer comes: what needs the others cannot be judged. */
  const unsteady = (): Answer => {
    let requests = 0;
    return (request) => {
      requests += 1;
      return requests % 9 === 0 ? { status: 503, headers: [], body: '' } : honest(request);
    };
  };
  const pinned = createBaseline(undefined, { 'quantity-numeric-string': 'rejected', 'empty-result': 'not-found' });
  const runs: Readonly<Record<string, () => ReturnType<typeof pageOf>>> = {
    conforming: () => pageOf(honest),
    failing: () => pageOf(deploymentWith('window-of-151', 'quantity-ignored', 'metadata-filter-by-key')),
    incomplete: () => pageOf(unsteady()),
    drifting: () => pageOf(honest, { expected: pinned }),
  };
  const verdicts = { failing: 'does-not-conform', incomplete: 'incomplete' } as Readonly<Record<string, string>>;
  for (const [name, run] of Object.entries(runs)) {
    test(`${name}: no errors and no barriers, at any width`, async () => {
      const { html, certificate } = await run();
      expect(certificate.verdict).toBe(verdicts[name] ?? 'conforms');
      expect(certificate.drift.length > 0).toBe(name === 'drifting');
      const { page, complaints } = await open(html);
      // Some of everything that opens, of which the rest looks alike.
      await page.evaluate(
        `for (const details of [...document.querySelectorAll('.item')].slice(0, 12)) details.open = true;`,
      );
      await page.evaluate(axe.source);
      for (const [width, colorScheme] of [
        [1280, 'light'],
        [390, 'dark'],
      ] as const) {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme });
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
        const { violations } = await page.evaluate(() =>
          (globalThis as unknown as { axe: typeof axe }).axe.run(
            { exclude: ['.group ~ .group'] },
            { resultTypes: ['violations'] },
          ),
        );
        const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
        expect(serious.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
      }
      expect(complaints).toEqual([]);
      await page.close();
    });
  }

  test('Every link has a target, and opens it', async () => {
    const { html } = await pageOf(deploymentWith('window-of-151'));
    const { page } = await open(html, { at: '#quantity-numeric-string' });
    await expect(page.locator('#quantity-numeric-string')).toBeInViewport();
    const ids = await page.evaluate<string[]>(`[...document.querySelectorAll('[id]')].map(({ id }) => id)`);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { id } of suite.cases) expect(ids).toContain(id);
    const links = await page.evaluate<string[]>(
      `[...document.querySelectorAll('a')].map((link) => link.getAttribute('href'))`,
    );
    expect(links.length).toBeGreaterThan(1);
    expect(links.filter((link) => !ids.includes(link.slice(1)))).toEqual([]);
    await page.close();
  });
});
