/**
 * All outputs at once, with hostile texts in every place that a deployment or a file controls. A file is in this test
 * because a run writes it. A text for a stream is in it because its function is exported as `render…`.
 */

import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import MarkdownIt from 'markdown-it';
import { marked } from 'marked';
import { parseAllDocuments } from 'yaml';
import type { ResultWithExchanges } from '../../src/engine/case-result.js';
import { createEvidenceKeeper, type RunEvidence } from '../../src/engine/evidence-keeper.js';
import { createPlan } from '../../src/engine/plan.js';
import type { Exchange, HttpRequest } from '../../src/http/exchange.js';
import { type Certificate, createCertificate } from '../../src/report/certificate.js';
import {
  type Comparison,
  compareCertificates,
  renderComparison,
  renderComparisonMarkdown,
} from '../../src/report/compare-certificates.js';
import { listOutputFiles } from '../../src/report/output.js';
import { renderProgress } from '../../src/report/terminal/progress.js';
import { renderRunReport } from '../../src/report/terminal/run-report.js';
import { writeResults } from '../../src/report/write-results.js';
import { packageRoot } from '../../src/support/package-root.js';
import { usePages } from './support/browser.js';
import { makeTestFolder } from './support/cli.js';
import { suite } from './support/in-process.js';
import { prepareEvidence } from './support/run-with-evidence.js';
import { runFacts } from './support/stubs.js';

const folder = makeTestFolder();
const openPage = usePages();

/** Stand at both ends of each hostile line: a whole text has as many of one as of the other, in one element. */
const [begin, end] = ['☠', '☢'];
const breaks = ['\n', '\r\n', '\r', '\v', '\f', '\u0085', '\u2028', '\u2029'];
const split = (text: string) => text.split(' ¦ ');
const fragments = [
  // Lines that a pipeline obeys
  ...split("::error::forged ¦   ::warning::forged ¦ ##vso[task.complete] ¦ ##teamcity[forged '1'] ¦ ##[error]forged"),
  // Markdown
  ...split('](javascript:forged()) ¦ ![x](https://forged.test/x.png) ¦ <https://forged.test> ¦ www.forged.test'),
  ...split(
    'https://forged.test/x?y=z ¦ forged@forged.test ¦ @forged ¦ #1 ¦ # forged ¦ - forged ¦ 1. forged ¦ > forged',
  ),
  ...split(
    '+ x ¦ | forged | ¦ \\| ¦ \\ ¦ ` ¦ `` ¦ ``` ¦ ~~~ ¦ *** ¦ --- ¦ === ¦ __x__ ¦ [^1] ¦ [x]: https://forged.test',
  ),
  ...split('$$\\forged$$ ¦ $`x`$ ¦     forged ¦ \t ¦ &#124; ¦ &lt; ¦ :smile: ¦ - [ ] x ¦ <details> ¦ </details>'),
  // HTML
  ...split(
    '<script>forged()</script> ¦ <img src=x onerror=forged()> ¦ "><svg onload=forged()> ¦ </pre></code></td></li>',
  ),
  ...split(
    "' onmouseover='forged() ¦ </style><style>*{background:url(https://forged.test)} ¦ ]]> ¦ <!-- ¦ --> ¦ <![CDATA[",
  ),
  // YAML and JSON
  ...split(':  ¦ - x ¦ &a *b !!js ¦ %YAML 1.1 ¦ " ¦ \' ¦ { ¦ } ¦ ---\nforged: 1 ¦ ... ¦ __proto__ ¦ $ref'),
  // What a format cannot carry, or a terminal obeys
  ...['\ufffe\uffff', '\udfff', '\ud800', '\u0000', '\u001b[2J', '\u009b1m', '\u202e', '\u{1fffe}', '\ufeff'],
];
const anyBreak = new RegExp(`(?:${breaks.join('|')})+`, 'g');
const fragment = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...fragments, ...breaks) },
  fc.string({ unit: 'binary' }),
);
/** A fragment may stand before the mark: at the beginning of a line it does most. */
const hostileText = fc
  .tuple(fc.oneof(fc.constant(''), fc.constantFrom(...fragments)), fc.array(fragment, { minLength: 1, maxLength: 5 }))
  .map(([first, others]) => {
    const lines = others.join('').replaceAll(anyBreak, `${end}$&${first}${begin}`);
    return `${first.replaceAll(anyBreak, '')}${begin}${lines}${end}`;
  });

type NextText = () => string;

/** Fills every text of a run that does not come from the suite. */
function createHostileRun(text: NextText): {
  certificate: Certificate;
  results: ResultWithExchanges[];
  exchanges: Exchange[];
} {
  const sendOne = (request: HttpRequest): Exchange => {
    const headersSent = [...request.headers, [text(), text()] as const];
    const foreign = { method: text(), path: `/${text()}`, headers: headersSent, body: text() };
    // Some outputs show only what was sent as documented.
    const common = { request: calls % 2 === 0 ? request : { ...request, ...foreign } };
    const body = [text(), JSON.stringify({ [text()]: text(), list: [{ [text()]: text() }] })];
    const status = [200, 400, 500][calls % 3] ?? 200;
    const headers = [
      ['content-type', calls % 2 === 0 ? 'application/json' : text()],
      [text(), text()],
    ] as const;
    calls += 1;
    return calls % 7 === 0
      ? { ...common, transportError: 'timed-out', message: text() }
      : { ...common, response: { status, headers, body: body[calls % 2] ?? '' } };
  };
  let calls = 0;
  const exchanges: Exchange[] = [];
  const results = suite.cases.map(({ id, at, rows, ...testCase }, n): ResultWithExchanges => {
    const [request] = [...(rows[0]?.requests.values() ?? [])];
    const [exchange, repeatedExchange] = [0, 1].map(() => sendOne(request as HttpRequest)) as [Exchange, Exchange];
    exchanges.push(exchange);
    const subject = testCase.kind === 'requirement' ? testCase.verifies : testCase.answers;
    const verdict = (['fail', 'inconclusive', 'error'] as const)[n % 3] ?? 'fail';
    const expected = { outcome: text(), statedBy: 'the record', recorded: text() };
    return {
      id,
      subject,
      verdict,
      reason: text(),
      expected: `It has ${text()}`,
      at,
      rows: [0, 1].map(() => ({ title: text(), verdict: 'fail', reason: text() })),
      outcome: text(),
      volatile: [text()],
      exchange,
      ...(n % 2 === 0 ? { repeatedExchange } : {}),
      drift: [
        { kind: 'shape', message: `The response has ${text()}.` },
        { kind: 'addition', message: `The response has ${text()}.` },
        { kind: 'outcome', question: subject, outcome: text(), expected },
      ],
      exchangesJudged: 1,
      requestsSent: 1,
      durationMs: 1,
    };
  });
  const certificate = createCertificate(suite, results, {
    ...runFacts,
    target: { name: text(), version: text(), contact: text(), base_url: `https://a.test/${text()}` },
    isCutShort: true,
    notes: [`A note: ${text()}`],
  });
  return { certificate, results, exchanges };
}

/** Keeps an exchange for each request of the first row of each case. */
function keepAll(exchanges: readonly Exchange[]): RunEvidence {
  const keeper = createEvidenceKeeper((each) => each);
  for (const [n, testCase] of suite.cases.entries()) {
    const exchange = exchanges[n % exchanges.length] as Exchange;
    const byName = new Map([...(testCase.rows[0]?.requests.keys() ?? [])].map((name) => [name, exchange] as const));
    keeper.keepCase(testCase, [{ exchanges: [byName], count: byName.size, requestsSent: byName.size }]);
  }
  return keeper.take();
}

/** An output as it leaves the suite. The kind says who reads it. */
interface Text {
  readonly name: string;
  readonly kind: string;
  readonly content: string;
}

type Render = (
  run: ReturnType<typeof createHostileRun>,
  written: ReturnType<typeof writeResults>,
  text: NextText,
) => string;

const comparedWith = (text: NextText, certificate: Certificate): readonly Certificate[] => [
  certificate,
  {
    ...certificate,
    target: { ...certificate.target, name: text(), version: text() },
    questions: certificate.questions.map((each) => ({ ...each, outcome: text(), reason: text() })),
    requirements: certificate.requirements.map((each) => ({ ...each, statement: text() })),
  },
];
const compareWith =
  (render: (comparison: Comparison) => string): Render =>
  ({ certificate }, _, text) =>
    render(compareCertificates(comparedWith(text, certificate), suite.contract));

/** Every function that renders a text for a stream, with arguments. */
const streams: Readonly<Record<string, { readonly kind: string; readonly render: Render }>> = {
  renderRunReport: { kind: 'lines', render: ({ certificate }, written) => renderRunReport(certificate, written) },
  renderProgress: {
    kind: 'lines',
    render: () =>
      `${renderProgress(createPlan(suite, { target: {}, excludesIntrusive: false }), { ended: 0, sent: 0, elapsedMs: 1 })}\n`,
  },
  renderComparison: { kind: 'lines', render: compareWith(renderComparison) },
  renderComparisonMarkdown: { kind: 'md', render: compareWith(renderComparisonMarkdown) },
};

/** Lists the functions that render something for a stream. */
async function listRenderers(): Promise<string[]> {
  const report = path.join(packageRoot, 'dist', 'src', 'report');
  const terminal = readdirSync(path.join(report, 'terminal')).filter((file) => file.endsWith('.js'));
  const names = [...terminal.map((file) => path.join('terminal', file)), 'compare-certificates.js'];
  const files = names.map((name) => path.join(report, name));
  const modules = await Promise.all(files.map((file) => import(pathToFileURL(file).href)));
  return modules.flatMap((module) => Object.keys(module)).filter((name) => name.startsWith('render'));
}

/** Writes all files of a run, and renders all texts for streams. */
function renderAll(texts: readonly string[], out: string): Text[] {
  let drawn = 0;
  const text = () => texts[drawn++ % texts.length] ?? '';
  const run = createHostileRun(text);
  const { certificate, results, exchanges } = run;
  const origin = {
    suite: { name: text(), version: text(), digest: text() },
    baseUrl: certificate.target.base_url,
    inputs: { [text()]: text() },
    extent: { isCutShort: true, judged: [], unjudged: [] },
  };
  const evidence = prepareEvidence({ evidence: keepAll(exchanges), origin }, results);
  mkdirSync(out, { recursive: true });
  const record = path.join(out, 'record.yaml');
  const written = writeResults(certificate, suite, results, { out, recordTo: record }, evidence);
  expect(readdirSync(out)).toEqual(expect.arrayContaining(listOutputFiles()));
  return [
    ...readdirSync(out).map((name) => ({
      name,
      kind: path.extname(name).slice(1),
      content: readFileSync(path.join(out, name), 'utf8'),
    })),
    ...Object.entries(streams).map(([name, { kind, render }]) => ({ name, kind, content: render(run, written, text) })),
  ];
}

/** Lists what a pipeline, a terminal or a reader of lines takes for the suite's own. */
function listMisdeeds({ name, content }: Text): string[] {
  const lines = content.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/);
  const begun = lines.filter((line) => line.startsWith(begin));
  const obeyed = lines.filter((line) => /##\w*\[/.test(line) || /^\s*::/.test(line));
  const uncarried =
    content.match(/(?![\t\n])[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\u202e\ufffd]/gu) ?? [];
  return [...begun, ...obeyed, ...uncarried.map((each) => JSON.stringify(each))].map(
    (each) => `${name}: ${each.slice(0, 200)}`,
  );
}

const markdownIt = new MarkdownIt({ html: true, linkify: true });
const renderBoth = (name: string, ...texts: string[]): { name: string; html: string }[] => [
  { name: `${name} (marked)`, html: texts.map((text) => marked.parse(text, { async: false, gfm: true })).join('') },
  { name: `${name} (markdown-it)`, html: texts.map((text) => markdownIt.render(text)).join('') },
];

/** Lists the texts under `description`, which OpenAPI calls Markdown. */
function listDescriptions(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    key === 'description' && typeof member === 'string' ? [member] : listDescriptions(member),
  );
}

/** Parses an output as the programs that read it. @returns what a browser shows of it */
function parse({ name, kind, content }: Text): { name: string; html: string }[] {
  switch (kind) {
    case 'json':
    case 'har':
      JSON.parse(content);
      return [];
    case 'yaml': {
      const documents = parseAllDocuments(content);
      expect(documents.flatMap((each) => ('errors' in each ? [...each.errors, ...each.warnings] : []))).toEqual([]);
      expect(documents).toHaveLength(1);
      return name === 'openapi.yaml' ? renderBoth(name, ...listDescriptions(documents[0]?.toJS())) : [];
    }
    case 'md':
      return renderBoth(name, content);
    case 'html':
      return [{ name, html: content }];
    case 'lines':
      expect(content.endsWith('\n')).toBe(true);
      return [];
    default:
      throw new Error(`Say how '${name}' is parsed.`);
  }
}

/** Runs in the browser. It lists what no text of the suite makes. */
const inspectDocument = `(begin, end) => {
  const problems = [];
  const blocks = 'p, li, td, th, h1, h2, h3, h4, h5, h6, pre, summary, dt, dd, text, title';
  for (const element of document.querySelectorAll('*')) {
    const tag = element.localName;
    const text = element.textContent;
    const handlers = element.getAttributeNames().filter((name) => /^(on.*|srcdoc|action)$/.test(name));
    if (handlers.length > 0) problems.push('<' + tag + ' ' + handlers + '>');
    if (/^(img|iframe|object|embed|link|base|video|audio|foreignobject|math)$/.test(tag)) problems.push('<' + tag + '>');
    if (/^(script|style)$/.test(tag) && text.includes(begin)) problems.push('<' + tag + '> with a foreign text');
    const href = element.getAttribute('href') ?? element.getAttribute('src');
    if (href !== null && (!/^(#|$)/.test(href) || href.includes(begin))) problems.push('<' + tag + ' href=' + href + '>');
    // A text that begins in a block ends there, unless it was cut.
    if (!element.matches(blocks) || element.querySelector(blocks) !== null || text.includes('…')) continue;
    if (text.split(begin).length !== text.split(end).length) problems.push('<' + tag + '>' + text.slice(0, 300));
  }
  return problems.slice(0, 9);
}`;

/** Shows documents in a browser. @returns what no text of a stranger may do there */
async function listShown(documents: readonly { name: string; html: string }[]): Promise<string[]> {
  const page = await openPage();
  const complaints: string[] = [];
  await page.exposeFunction('forged', () => complaints.push('a script ran'));
  await page.route('**', (route) => {
    if (route.request().url() === 'https://page.test/')
      return route.fulfill({ contentType: 'text/html', body: current });
    complaints.push(`requested ${route.request().url()}`);
    return route.abort();
  });
  let current = '';
  for (const { name, html } of documents) {
    // With the policy of a page itself; a page of Markdown may do all that a browser does.
    current = html.startsWith('<!doctype') ? html : `<!doctype html><meta charset="utf-8"><body>${html}`;
    await page.goto('https://page.test/');
    const found = await page.evaluate<string[]>(`(${inspectDocument})('${begin}', '${end}')`);
    complaints.push(...found.map((each) => `${name}: ${each}`));
  }
  await page.close();
  return complaints;
}

test('Every function that renders a text for a stream is in this test', async () => {
  expect(Object.keys(streams).sort()).toEqual((await listRenderers()).sort());
});

test('The checks find each misdeed', { tag: '@long' }, async () => {
  for (const content of [`\n${begin}x`, ' ::error::x', 'x ##vso[x]', '\u001b[2J', '\ufffe'])
    expect(listMisdeeds({ name: '', kind: 'md', content }), content).toHaveLength(1);
  for (const text of ['![x](https://forged.test/x.png)', 'https://forged.test', '<script>forged()</script>', '# ☠\n☢'])
    for (const shown of renderBoth('', text)) expect(await listShown([shown]), text).not.toEqual([]);
  expect(await listShown([...renderBoth('', '| ☠a | b☢ |\n| - | - |\n'), ...renderBoth('', '☠ok☢')])).toHaveLength(4);
});

for (const [numRuns, tag] of [
  [1, []],
  [20, ['@long']],
] as const)
  test(`No hostile text does anything in any output, drawn ${numRuns} times`, { tag: [...tag] }, async () => {
    test.setTimeout(600_000);
    let turn = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(hostileText, { minLength: 97, maxLength: 97 }), async (texts) => {
        const all = renderAll(texts, path.join(folder, `${numRuns}-${turn++}`));
        expect(all.flatMap(listMisdeeds)).toEqual([]);
        expect(await listShown(all.flatMap(parse))).toEqual([]);
        // Otherwise the test would show nothing.
        for (const name of ['certificate.html', 'certificate.json', 'observed.md', 'summary.md'])
          expect(all.find((each) => each.name === name)?.content, name).toContain('forged');
      }),
      { seed: 20_261_122, numRuns, endOnFailure: true },
    );
  });
