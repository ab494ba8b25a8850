/** The page of a run in a real browser: what people do with it. `hostile-texts.spec.ts` shows that a deployment can do nothing there. */

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, type Page, test } from '@playwright/test';
import axe from 'axe-core';
import { completeBehaviours } from '../../reference/deployment/behaviours.js';
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
import { readPdfPages } from '../support/read-pdf.js';
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
async function open(html: string, { at = '', hasScripts = true } = {}): Promise<Opened> {
  const file = path.join(folder, 'certificate.html');
  writeFileSync(file, html);
  const page = await openPage({ javaScriptEnabled: hasScripts });
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
  await expect(failing.first().locator('h3').first()).toBeInViewport();
  await expect(failing.first()).toContainText("'beyond-first'");
  await expect(failing.first()).toContainText('Requirements that fail: limit.newest-150.');
  // The smallest request that shows it, and its case, which the link opens.
  await expect(
    failing
      .first()
      .getByText(/curl -gi/)
      .first(),
  ).toBeVisible();
  await failing.first().getByRole('link', { name: 'window-' }).click();
  const testCase = page.locator('#cases .case:target');
  await expect(testCase.getByText(/curl -gi/).first()).toBeVisible();
  await expect(testCase.getByText(/\.yaml:\d+:\d+$/).first()).toBeVisible();
  // What the target does with a numeric string.
  const question = page.locator('#quantity-numeric-string');
  await expect(question).toContainText('meets a threshold of 3 and no higher one.');
  await expect(question.locator('td').nth(1).locator('code.id')).toHaveText('as-number');
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

const filtering: Suite = { ...suite, cases: suite.cases.filter(({ id }) => /filter/.test(id)) };

test('The first screen has the verdict, the facts and all requirements, with nothing between them', async () => {
  const { html, certificate } = await pageOf(honest);
  const { page } = await open(html);
  const shown = page.locator('h1, .verdict, header dd, time, .verdicts tbody tr');
  expect(await shown.count()).toBe(2 + 5 + 1 + certificate.requirements.length);
  for (const element of await shown.all()) await expect(element).toBeInViewport({ ratio: 1 });
  await expect(page.locator('header ~ main > *').first()).toHaveAttribute('id', 'requirements');
  await page.close();
});

test('An incomplete run says why before its table of requirements', async () => {
  const { html, certificate } = await pageOf(() => ({ status: 503, headers: [], body: '' }));
  expect(certificate.verdict).toBe('incomplete');
  const { page } = await open(html);
  const [first, next] = [page.locator('main > *').first(), page.locator('main > *').nth(1)];
  await expect(first).toContainText('Answered 503');
  await expect(first).toBeInViewport();
  await expect(next).toHaveAttribute('id', 'requirements');
  await page.close();
});

test.describe('the size of a conforming page', () => {
  const pinned = { 'quantity-numeric-string': 'rejected', 'empty-result': 'not-found', 'result-order': 'oldest-first' };
  /** For each question the last of the outcomes that deserve a warning, for all questions or for the first ones. */
  const chooseWarnings = (max: number) =>
    Object.fromEntries(
      suite.contract.questions
        .flatMap(({ id, answer }) => {
          const [outcome] = answer.kind === 'outcomes' ? [...answer.warn] : [];
          return outcome === undefined ? [] : [[id, outcome]];
        })
        .slice(0, max),
    );
  /** For each question an outcome that the reference deployment does not have by default. */
  const usual: Readonly<Record<string, unknown>> = completeBehaviours({});
  const chooseOthers = () =>
    Object.fromEntries(
      suite.contract.questions.flatMap(({ id, answer }) => {
        const outcomes = answer.kind === 'outcomes' ? [...answer.outcomes.keys()] : [];
        const [other] = outcomes.filter((outcome) => outcome !== usual[id]);
        return other === undefined ? [] : [[id, other]];
      }),
    );
  const runs: Readonly<Record<string, () => ReturnType<typeof pageOf>>> = {
    'without a remark': () => pageOf(honest),
    'with changed answers': () => pageOf(honest, { expected: createBaseline(undefined, pinned) }),
    'with every answer changed': () => pageOf(honest, { expected: createBaseline(undefined, chooseOthers()) }),
    'with some warnings': () => pageOf(createReference({ behaviours: chooseWarnings(20) })),
    'with as many warnings as there can be': () => pageOf(createReference({ behaviours: chooseWarnings(99) })),
  };
  for (const [title, run] of Object.entries(runs))
    test(`${title}: at most 5,000 pixels at 1280, 9,000 at 390, and five printed pages with verdict and date`, async () => {
      const { html, certificate } = await run();
      expect(certificate.verdict).toBe('conforms');
      const { page } = await open(html);
      const heights = [];
      for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 900 });
        heights.push(await page.evaluate<number>('document.documentElement.scrollHeight'));
      }
      expect(heights[0]).toBeLessThanOrEqual(5_000);
      expect(heights[1]).toBeLessThanOrEqual(9_000);
      const printed = readPdfPages(await page.pdf({ format: 'A4' }));
      expect(printed.length).toBeLessThanOrEqual(5);
      for (const text of printed) {
        expect(text).toContain('Conforms');
        expect(text).toContain('1970-01-01 00:00 UTC');
      }
      // The answers are printed, also where they are folded.
      expect(printed.join('')).toContain('A path in capital letters');
      await page.close();
    });
});

test('Without scripts, everything is open, and nothing is offered that needs one', async () => {
  const { html } = await pageOf(deploymentWith('campaign-filter-ignored'), { suite: filtering });
  const { page, complaints } = await open(html, { hasScripts: false });
  const folds = await page.locator('details').all();
  expect(folds.length).toBeGreaterThan(30);
  for (const details of folds) await expect(details).toHaveAttribute('open');
  await expect(page.locator('#filter-unknown-field')).toBeVisible();
  await expect(page.locator('#campaign-filter')).toBeVisible();
  await expect(page.locator('#filter')).toBeHidden();
  expect(complaints).toEqual([]);
  await page.close();
});

test('Cases and questions are folded, and filtered by their text and by what needs attention', async () => {
  const { html, certificate } = await pageOf(deploymentWith('campaign-filter-ignored'), { suite: filtering });
  const { page, complaints } = await open(html);
  const items = page.locator('[data-item]:visible');
  const failing = certificate.requirements.flatMap(({ cases }) => cases).filter(({ verdict }) => verdict === 'fail');
  expect(failing.length).toBeGreaterThan(0);
  for (const { id } of failing) await expect(page.locator(`#${id}`)).toBeHidden();
  const text = page.getByRole('searchbox', { name: 'Filter cases and questions' });
  // Words of a title, in any order and letter case.
  await text.fill('HASH blank');
  await expect(page.getByRole('status')).toHaveText(/^\d+ of \d+ shown$/);
  for (const item of await items.all()) await expect(item).toContainText(/hash/i);
  // An id, and a heading, which shows all below it.
  await text.fill('filter-unknown-field');
  await expect(items).toHaveCount(1);
  await expect(items).toContainText('A filter by an undocumented field');
  await text.fill('filter.promotion-id');
  await expect(items).toHaveCount(
    certificate.requirements.find(({ id }) => id === 'filter.promotion-id')?.cases.length ?? 0,
  );
  await text.fill('');
  await expect(page.locator('#filter-unknown-field')).toBeHidden();
  // What needs attention: what does not pass, and questions with a warning or without an answer.
  await page.getByLabel('Only what needs attention').check();
  const shown = await items.evaluateAll((elements) => elements.map(({ id }) => id));
  const questions = certificate.questions.filter(({ outcome, warning }) => outcome === null || warning);
  const cases = certificate.requirements.flatMap((requirement) => requirement.cases);
  const unpassed = cases.filter(({ verdict }) => verdict !== 'pass');
  expect(shown.toSorted()).toEqual([...unpassed, ...questions].map(({ id }) => id).toSorted());
  // A link leads to what the filter hides.
  const passing = certificate.requirements.find(({ verdict }) => verdict === 'pass');
  await page.getByRole('link', { name: passing?.id }).first().click();
  await expect(page.locator(`[id="${passing?.cases[0]?.id}"]`)).toBeVisible();
  await expect(page.getByLabel('Only what needs attention')).not.toBeChecked();
  expect(complaints).toEqual([]);
  await page.close();
});

test('The keyboard reaches the filter and what is folded', async () => {
  const { html } = await pageOf(honest, { suite: filtering });
  const { page } = await open(html);
  await page.getByRole('searchbox').focus();
  await page.keyboard.type('unknown');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Tab');
  await expect(page.getByRole('checkbox')).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(page.locator('summary:focus')).toHaveCount(1);
  await page.keyboard.press('Enter');
  await expect(page.locator('details:has(> summary:focus)')).toHaveAttribute('open');
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
        `for (const details of document.querySelectorAll('.fold:not(.fold ~ .fold), .fold:not(.fold ~ .fold) details')) details.open = true;`,
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
            { exclude: ['.fold ~ .fold'] },
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
