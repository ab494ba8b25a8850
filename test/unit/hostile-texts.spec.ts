/**
 * Texts of deployments and files that a terminal, a pipeline, a browser or a parser would obey: no output of the suite lets
 * them.
 */

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import MarkdownIt from 'markdown-it';
import { marked } from 'marked';
import { parseAllDocuments } from 'yaml';
import type { TestCase } from '../../src/cases/test-case.js';
import { type Certificate, createCertificate } from '../../src/certificate/certificate.js';
import { compareCertificates } from '../../src/certificate/compare-certificates.js';
import type { Exchange, HttpRequest, HttpResponse } from '../../src/http/exchange.js';
import { outputFiles } from '../../src/outputs/result-files.js';
import { renderErrorContext, renderUserTestFailure } from '../../src/outputs/terminal/error-context.js';
import { renderRunReport } from '../../src/outputs/terminal/run-report.js';
import { writeResults } from '../../src/outputs/write-results.js';
import { getIdFinders } from '../../src/recognition/id-finders.js';
import { findShapeDrift, inferShape } from '../../src/record/body-shape.js';
import { readRecord, renderRecord, type TargetRecord } from '../../src/record/target-record.js';
import type { StoredEvidence } from '../../src/run/case-report.js';
import { type CaseResult, createUnsentResult } from '../../src/run/case-result.js';
import { createEvidenceKeeper } from '../../src/run/evidence-keeper.js';
import { formatProblem } from '../../src/support/problem.js';
import { createReason } from '../../src/support/reason.js';
import { quoteLines, toOneLine } from '../../src/support/untrusted-text.js';
import { parseYaml } from '../../src/support/yaml-file.js';
import { usePages } from '../support/browser.js';
import { credentialVariables, makeTestFolder, runConformanceInProcess } from '../support/cli.js';
import { recognizer, suite } from '../support/in-process.js';
import { listen } from '../support/independent-deployment.js';
import { createArchive } from '../support/run-with-evidence.js';
import { runFacts } from '../support/stubs.js';

const folder = makeTestFolder();
const openPage = usePages();

// Hostile texts -------------------------------------------------------------------------------------------------------

/** Stand at both ends of each hostile line: a whole text has as many of one as of the other, in one element. */
const [begin, end] = ['☠', '☢'];
/** Everything that some program reads as the end of a line. */
const breaks = ['\n', '\r\n', '\r', '\v', '\f', '\u0085', '\u2028', '\u2029'];
const anyBreak = new RegExp(`(?:${breaks.join('|')})+`, 'g');
const split = (text: string) => text.split(' ¦ ');
/** Characters that UTF-8 cannot carry, or that a terminal obeys. */
const unshowable = split(
  '\ufffe\uffff ¦ \udfff ¦ \ud800 ¦ \u0000 ¦ \u001b[2J ¦ \u009b1m ¦ \u202e ¦ \u{1fffe} ¦ \ufeff',
);
/** What a pipeline obeys. */
const commands = split("::error::forged ¦ ##vso[task.complete]forged ¦ ##teamcity[forged '1'] ¦ ##[error]forged");
const fragments = [
  ...commands,
  ...unshowable,
  // Markdown
  ...split('](javascript:forged()) ¦ ![x](https://forged.test/x.png) ¦ <https://forged.test> ¦ www.forged.test'),
  ...split('https://forged.test/x?y=z ¦ forged@forged.test ¦ @forged ¦ #1 ¦ # forged ¦ - forged ¦ 1. forged'),
  ...split('> forged ¦ + x ¦ | forged | ¦ \\| ¦ \\ ¦ ` ¦ `` ¦ ``` ¦ ~~~ ¦ *** ¦ --- ¦ === ¦ __x__ ¦ [^1]'),
  ...split('[x]: https://forged.test ¦ $$\\forged$$ ¦ $`x`$ ¦     forged ¦ \t ¦ &#124; ¦ &lt; ¦ :smile: ¦ - [ ] x'),
  // HTML
  ...split(
    '<details> ¦ </details> ¦ <script>forged()</script> ¦ <img src=x onerror=forged()> ¦ </pre></code></td></li>',
  ),
  ...split("\"><svg onload=forged()> ¦ ' onmouseover='forged() ¦ ]]> ¦ <!-- ¦ --> ¦ <![CDATA["),
  '</style><style>*{background:url(https://forged.test)}',
  // YAML and JSON
  ...split(':  ¦ - x ¦ &a *b !!js ¦ %YAML 1.1 ¦ " ¦ \' ¦ { ¦ } ¦ ---\nforged: 1 ¦ ... ¦ __proto__ ¦ $ref'),
];
/**
 * Not the unit `binary` of fast-check: that takes half a second to create. Without U+FFFD, which in an output tells of a
 * character that was lost.
 */
const character = fc.integer({ min: 0, max: 0xfffc }).map((code) => String.fromCharCode(code));
const fragment = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...fragments, ...breaks) },
  fc.string({ unit: character }),
);
/** A fragment may stand before the mark: at the beginning of a line it does most. */
const hostileText = fc
  .tuple(fc.oneof(fc.constant(''), fc.constantFrom(...fragments)), fc.array(fragment, { minLength: 1, maxLength: 5 }))
  .map(([first, others]) => {
    const lines = others.join('').replaceAll(anyBreak, `${end}$&${first}${begin}`);
    return `${first.replaceAll(anyBreak, '')}${begin}${lines}${end}`;
  });

/** Lines that a pipeline obeys, or a person believes, after each line break. */
const lines = [...commands, 'CONFORMS  forged at https://forged.test'];
const hostile = breaks.flatMap((end) => lines.map((line) => end + line)).join('') + unshowable.join('');

/** An output as it leaves the suite: a file, or the result of a function. */
interface Text {
  readonly name: string;
  readonly content: string;
}

/** Lists what a pipeline, a terminal or a reader of lines takes for the suite's own. */
function listMisdeeds({ name, content }: Text): string[] {
  const lines = content.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/);
  const obeyed = lines.filter((line) => /^☠|##\w*\[|^\s*::|^\s*CONFORMS +forged/.test(line));
  const unshown = content.match(/(?![\t\n])[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\u202e\ufffd]/gu) ?? [];
  const found = [...obeyed, ...unshown.map((character) => JSON.stringify(character))];
  return found.map((misdeed) => `${name}: ${misdeed.slice(0, 200)}`);
}

// All outputs ---------------------------------------------------------------------------------------------------------

type NextText = () => string;

/** Creates an exchange whose texts are all hostile, one of several kinds. */
function createExchange(documented: HttpRequest, n: number, text: NextText): Exchange {
  const headers = [...documented.headers, [text(), text()] as const];
  // Some outputs show only what was sent as documented.
  const request = n % 2 === 0 ? documented : { method: text(), path: `/${text()}`, headers, body: text() };
  if (n % 7 === 0) return { request, transportError: 'timed-out', message: text() };
  const received = [
    ['content-type', n % 2 === 0 ? 'application/json' : text()],
    [text(), text()],
  ] as const;
  const body = n % 2 === 0 ? JSON.stringify({ [text()]: text(), list: [{ [text()]: text() }] }) : text();
  return { request, response: { status: [200, 400, 500][n % 3] ?? 200, headers: received, body } };
}

/** Fills every text of a result that does not come from the suite. @param exchanges by their ids: it adds those of the result */
function createResult(testCase: TestCase, n: number, text: NextText, exchanges: Map<string, Exchange>): CaseResult {
  const [request] = [...(testCase.rows[0]?.requests.values() ?? [])] as [HttpRequest];
  const result = createUnsentResult(testCase, (['fail', 'inconclusive', 'error'] as const)[n % 3] ?? 'fail', text());
  const expected = { outcome: text(), statedBy: 'the record' as const, recorded: text() };
  const [exchangeId, repeatedExchangeId] = [`${n}/first`, `${n}/again`];
  exchanges.set(exchangeId, createExchange(request, 2 * n, text));
  if (n % 2 === 0) exchanges.set(repeatedExchangeId, createExchange(request, 2 * n + 1, text));
  return {
    ...result,
    expected: `It has ${text()}`,
    rows: [0, 1].map(() => ({ title: text(), verdict: 'fail', reason: createReason('message', { message: text() }) })),
    outcome: text(),
    volatile: [text()],
    exchangeId,
    ...(n % 2 === 0 ? { repeatedExchangeId } : {}),
    drift: [
      { kind: 'shape', message: `The response has ${text()}.` },
      { kind: 'outcome', outcome: text(), expected },
    ],
  };
}

/** Keeps the exchange of each case for each of its requests. */
function keepAll(exchanges: ReadonlyMap<string, Exchange>): StoredEvidence {
  const keeper = createEvidenceKeeper(recognizer);
  for (const [n, testCase] of suite.cases.entries()) {
    const names = [...(testCase.rows[0]?.requests.keys() ?? [])];
    const ofCase = new Map(names.map((name) => [name, exchanges.get(`${n}/first`) as Exchange]));
    keeper.keepCase(testCase, [{ exchanges: [ofCase] }]);
  }
  return keeper.take();
}

/** Renders the text of each function that does so for a stream, by the name of the function. */
function renderStreams(certificate: Certificate, written: ReturnType<typeof writeResults>, text: NextText) {
  const changed = {
    ...certificate,
    target: { ...certificate.target, name: text(), version: text() },
    questions: certificate.questions.map((question) => ({ ...question, outcome: text(), reason: text() })),
    requirements: certificate.requirements.map((requirement) => ({ ...requirement, statement: text() })),
  };
  return {
    renderRunReport: renderRunReport(certificate, written),
    compareCertificates: compareCertificates([certificate, changed], suite.contract).text,
    renderErrorContext: renderErrorContext(text(), quoteLines(text()).join('\n'), text(), text()),
    renderUserTestFailure: renderUserTestFailure(
      ['', text(), text(), text()],
      [{ message: text() }, { stack: text() }],
    ),
  };
}

/** Writes all files of a run, and renders all texts for streams. */
function renderAll(texts: readonly string[], out: string): Text[] {
  let drawn = 0;
  const text = () => texts[drawn++ % texts.length] ?? '';
  const exchanges = new Map<string, Exchange>();
  const showExchange = (id = '') => exchanges.get(id);
  const results = suite.cases.map((testCase, n) => createResult(testCase, n, text, exchanges));
  const certificate = createCertificate(suite, results, {
    ...runFacts,
    target: { name: text(), version: text(), file: text(), base_url: `https://a.test/${text()}` },
    isCutShort: true,
    notes: [`A note: ${text()}`],
    showExchange,
  });
  const origin = {
    suite: { name: text(), version: text(), digest: text() },
    baseUrl: certificate.target.base_url,
    inputs: { [text()]: text() },
    extent: { isCutShort: true, judged: [], unjudged: [] },
  };
  const evidence = createArchive(keepAll(exchanges), origin);
  const run = { certificate, results, showExchange, newDeviations: [] };
  const written = writeResults(run, suite, { out, recordTo: path.join(out, 'record.yaml') }, evidence);
  const files = readdirSync(out).map((name) => [name, readFileSync(path.join(out, name), 'utf8')] as const);
  expect(files.map(([name]) => name)).toEqual(expect.arrayContaining([...outputFiles]));
  const streams = renderStreams(certificate, written, text);
  return [...files, ...Object.entries(streams)].map(([name, content]) => ({ name, content }));
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
function parse({ name, content }: Text): { name: string; html: string }[] {
  const kind = path.extname(name).slice(1);
  switch (kind) {
    case 'json':
    case 'har':
      JSON.parse(content);
      return [];
    case 'yaml': {
      const documents = parseAllDocuments(content);
      expect(documents.flatMap((parsed) => ('errors' in parsed ? [...parsed.errors, ...parsed.warnings] : []))).toEqual(
        [],
      );
      expect(documents).toHaveLength(1);
      return name === 'openapi.yaml' ? renderBoth(name, ...listDescriptions(documents[0]?.toJS())) : [];
    }
    case 'md':
      return renderBoth(name, content);
    case 'html':
      return [{ name, html: content }];
    case '':
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
    complaints.push(...found.map((complaint) => `${name}: ${complaint}`));
  }
  await page.close();
  return complaints;
}

test('The checks find each misdeed', { tag: '@long' }, async () => {
  for (const content of [`\n${begin}x`, ' ::error::x', 'x ##vso[x]', '\u001b[2J', '\ufffe'])
    expect(listMisdeeds({ name: '', content }), content).toHaveLength(1);
  expect(new Set(listMisdeeds({ name: '', content: hostile })).size).toBeGreaterThan(commands.length + 10);
  for (const text of ['![x](https://forged.test/x.png)', 'https://forged.test', '<script>forged()</script>', '# ☠\n☢'])
    for (const shown of renderBoth('', text)) expect(await listShown([shown]), text).not.toEqual([]);
  expect(await listShown([...renderBoth('', '| ☠a | b☢ |\n| - | - |\n'), ...renderBoth('', '☠ok☢')])).toHaveLength(4);
});

for (const numRuns of [1, 20])
  test(`No text does anything in any output, drawn ${numRuns} times`, { tag: numRuns > 1 ? '@long' : [] }, async () => {
    test.setTimeout(600_000);
    let turn = 0;
    const property = fc.asyncProperty(fc.array(hostileText, { minLength: 97, maxLength: 97 }), async (texts) => {
      turn += 1;
      const all = renderAll(texts, path.join(folder, `${numRuns}-${turn}`));
      expect(all.flatMap(listMisdeeds)).toEqual([]);
      expect(await listShown(all.flatMap(parse))).toEqual([]);
      // Otherwise the test would show nothing.
      for (const name of ['certificate.html', 'certificate.json', 'observed.md', 'summary.md'])
        expect(all.find((file) => file.name === name)?.content, name).toContain('forged');
    });
    await fc.assert(property, { seed: 20_261_122, numRuns, endOnFailure: true });
  });

// Commands ------------------------------------------------------------------------------------------------------------

/** Without surrogates, for a body that is not JSON; and on one line, for a header. */
const [bodyText, headerText] = [hostile.replaceAll(/\p{Cs}/gu, ''), lines.join('\u0085')];
const deployments: Readonly<Record<string, HttpResponse>> = {
  'refuses everything': { status: 400, headers: [], body: JSON.stringify({ [hostile]: hostile }) },
  'refuses with a text': { status: 400, headers: [['content-type', headerText]], body: bodyText },
  redirects: { status: 307, headers: [['location', `https://a.test/${headerText}`]], body: bodyText },
  'names promotions under hostile keys': {
    status: 200,
    headers: [['content-type', 'application/json']],
    body: JSON.stringify({ [hostile]: suite.world.tiers, [bodyText]: suite.world.tiers.slice(1), [lines[0] ?? '']: 0 }),
  },
};
for (const [title, response] of Object.entries(deployments))
  test(`doctor obeys no deployment that ${title}`, async () => {
    const { url, close } = await listen(() => response);
    const options = { cwd: folder, env: credentialVariables };
    const { output } = await runConformanceInProcess(['doctor', '--base-url', url], options);
    await close();
    // Problems come before this line.
    expect(output).toMatch(/^Target 127/m);
    expect(listMisdeeds({ name: 'the terminal', content: output })).toEqual([]);
  });

// Functions -----------------------------------------------------------------------------------------------------------

/** A text of what YAML, terminals and pipelines give a meaning. */
const anyText = fc.string({
  unit: fc.oneof(
    fc.constantFrom(...breaks, ...'\ufffe\ufeff\u0000 \t#[]:&*!|>\'"%@`-?,{}~\\', '##vso[', '::error', '__proto__'),
    character,
  ),
  maxLength: 30,
});

test('A record with any text reads back as it was written', () => {
  const long = fc.tuple(anyText, fc.constantFrom(1, 1, 1, 60)).map(([text, times]) => text.repeat(times));
  const property = fc.property(fc.array(fc.tuple(long, anyText)), long, anyText, (members, target, response) => {
    const body = JSON.stringify(Object.fromEntries(members));
    const shape = inferShape([body], getIdFinders(suite.world));
    const questions = members.map(([key, outcome]) => {
      return [`q${key}`, { outcome, request: target, response: { status: 400, media_type: response, body: key } }];
    });
    const record: TargetRecord = {
      target,
      suite: { name: 'a', version: target, digest: response },
      questions: Object.fromEntries(questions),
      ...(shape === undefined ? {} : { response_schema: shape }),
    };
    const written = renderRecord(record);
    expect(readRecord('record.yaml', parseYaml(written, 'record.yaml'))).toEqual(record);
    expect(Buffer.from(written).toString()).toBe(written);
    if (shape !== undefined) expect(findShapeDrift([body], shape)).toEqual([]);
  });
  fc.assert(property, { seed: 20_261_121, numRuns: 20 });
});

test('toOneLine, quoteLines and formatProblem make any text safe', () => {
  const property = fc.property(fc.oneof(anyText, fc.string({ unit: character })), (text) => {
    const line = toOneLine(text);
    expect(line).not.toContain('\n');
    expect(toOneLine(line)).toBe(line);
    const quoted = quoteLines(text);
    for (const line of quoted) expect(line).toMatch(/^\| /);
    expect([`x${line}`, ...quoted].flatMap((content) => listMisdeeds({ name: '', content }))).toEqual([]);
    const problem = formatProblem({ at: { setting: 'x' }, message: text, hint: `y${text}` });
    expect(problem.split('\n')).toHaveLength(2);
  });
  fc.assert(property, { seed: 20_261_121 });
});
