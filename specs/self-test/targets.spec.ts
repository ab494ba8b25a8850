import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { loadSuite, ownFolder } from '../../src/cases/suite.js';
import { elsewhere, relocated } from '../../src/contract/operation.js';
import type { HttpRequest } from '../../src/http/exchange.js';
import { packageRoot } from '../../src/support/package-root.js';
import { UnusableInput } from '../../src/support/problem.js';
import { loadSettings } from '../../src/targets/settings.js';
import { loadTarget } from '../../src/targets/target.js';
import { holdingOf } from '../../src/targets/target-file.js';
import type { Binding } from '../../src/world/bindings.js';
import { type Kind, kinds } from '../../src/world/world-file.js';
import { conformance, readCertificate, temporaryFolder } from './support/cli.js';
import { certifyInProcess, channelTo, requirementsWith, suite } from './support/in-process.js';
import { independentDeployment, listen } from './support/independent.js';
import { marked } from './support/marked.js';

const { folder, remove } = temporaryFolder();
test.afterAll(remove);

const environment = { CLIENT_APPLICATION_ID: 'the-application', CLIENT_TOKEN: 'the-token' };

function written(name: string, text: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return file;
}

/** Everything that is read of a target before a run. */
function loaded(file: string) {
  const { holding } = holdingOf({ TARGET: file });
  return loadSettings({ ...environment, TARGET: file }, loadSuite(ownFolder, holding));
}

for (const name of readdirSync(path.join(packageRoot, 'targets')).filter((each) => each.endsWith('.yaml'))) {
  if (name.endsWith('.bindings.yaml')) continue;
  test(`targets/${name} is a good target file`, () => {
    const target = loadTarget({ ...environment, TARGET: path.join(packageRoot, 'targets', name) });
    expect(target.place.kind).toBe('deployment');
  });
}

test('ids stand in the target file or beside it, as YAML or JSON', () => {
  written('own.bindings.yaml', 'customers: { ann: 17 }\n');
  written('own.bindings.json', '{ "customers": { "ann": 17 } }');
  const files = [
    written('inside.yaml', 'name: a\nids: { customers: { ann: 17 } }'),
    written('beside-yaml.yaml', 'name: a\nbindings: own.bindings.yaml'),
    written('beside-json.yaml', 'name: a\nbindings: own.bindings.json'),
  ];
  for (const file of files) {
    const { world } = loadSuite(ownFolder, holdingOf({ TARGET: file }).holding);
    expect(world.ids.customer.get('ann')).toBe('17');
    expect(world.world.tiers[1]?.rules[0]).toMatchObject({ any_of: expect.arrayContaining(['17']) });
    expect([...world.unavailable.values()].some(({ name }) => name === 'ann')).toBe(false);
  }
});

test('ids are taken as they are written, numbers among them', () => {
  const texts = ['0012', '1e3', '12345678901234567890', '"0x1F"', "'a b'"];
  const names = ['ordinary', 'ann', 'ben', 'cleo', 'bulk'];
  const lines = names.map((name, n) => `    ${name}: ${texts[n]}`);
  const file = written('numbers.yaml', `name: a\nids:\n  customers:\n${lines.join('\n')}`);
  const { world } = loadSuite(ownFolder, holdingOf({ TARGET: file }).holding);
  expect(names.map((name) => world.ids.customer.get(name))).toEqual([
    '0012',
    '1e3',
    '12345678901234567890',
    '0x1F',
    'a b',
  ]);
});

test.describe('ids of a deployment’s own', () => {
  /** Every name of the world under an id of its own. */
  const boundTo = (idOf: (kind: Kind, name: string, n: number) => string) => {
    const entries = kinds.map((kind) => {
      const names = [...suite.world.ids[kind].keys()];
      return [kind, new Map(names.map((name, n) => [name, { id: idOf(kind, name, n), at }]))] as const;
    });
    return loadSuite(ownFolder, { bindings: Object.fromEntries(entries) as Record<Kind, Map<string, Binding>> });
  };
  const at = { file: 'bindings.yaml', line: 1, column: 1 };

  for (const [what, idOf] of [
    ['numbers, counted for each kind', (_: Kind, __: string, n: number) => String(n + 1)],
    ['slugs that are parts of each other', (kind: Kind, name: string) => `${kind}-${name}`],
    ['with signs that a URL encodes', (kind: Kind, name: string) => `${kind} ½/${name} & 100 %+`],
  ] as const) {
    for (const shape of ['wrapped', 'keyed-by-id', 'in-urls'] as const) {
      if (shape === 'in-urls' && !what.startsWith('with signs')) continue;
      test(`${what}, ${shape}: conforms`, async () => {
        const own = boundTo(idOf);
        const { certificate } = await certifyInProcess(independentDeployment(own.world.world, { shape }), {
          asked: own,
        });
        expect(certificate.summary).toEqual({ pass: 17 });
      });
    }
  }

  for (const [what, idOf] of [
    ['numbers', (_: Kind, __: string, n: number) => String(n + 1)],
    ['slugs, some of them short,', (kind: Kind, name: string) => `${kind}-${name}`],
  ] as const) {
    test(`${what} inside of texts are left open, never a failure`, async () => {
      const own = boundTo(idOf);
      const { certificate } = await certifyInProcess(independentDeployment(own.world.world, { shape: 'in-urls' }), {
        asked: own,
      });
      expect(requirementsWith('fail', certificate)).toEqual([]);
      expect(certificate.verdict).toBe('incomplete');
      expect(certificate.missing?.join()).toContain('fewer than 12 characters');
    });
  }
});

test.describe('a target file is refused at its line', () => {
  const table: Readonly<Record<string, readonly [text: string, message: string, hint?: string]>> = {
    'an unknown kind': ['name: a\nids: { ▸customer: {} }', "unknown key 'customer'", "Did you mean 'customers'?"],
    'an unknown name': [
      'name: a\nids: { customers: { anne: ▸x } }',
      "there is no customer 'anne' in the world",
      "Did you mean 'ann'?",
    ],
    'an id that is bound twice': [
      'name: a\nids: { customers: { ann: x, ben: ▸x } }',
      "customer 'ben' has the id of customer 'ann'",
    ],
    'ids and bindings': ['name: a\nids: {}\n▸bindings: b.yaml', "'bindings' cannot stand here", 'Leave it out.'],
    'bindings that are not there': ['name: a\nbindings: ▸none.yaml', 'none.yaml cannot be read'],
    'a provision command without bindings': [
      '▸name: a\nprovision: [x]',
      "the file lacks the key 'bindings'",
      "Add 'bindings:'.",
    ],
    'an unknown capability': [
      'name: a\ncapabilities: [▸metadate]',
      "entry 1 of 'capabilities' cannot be 'metadate'",
      "Did you mean 'metadata'?",
    ],
    'a credential among the headers': [
      'name: a\nheaders: { ▸X-Client-Token: abc }',
      "'X-Client-Token' is no header to set here",
    ],
    'a header of two lines': [
      'name: a\nheaders: { Origin: ▸"a\\nb" }',
      "'a\nb' is not of the form ^[\\t\\x20-\\x7e]*$",
    ],
    'a certificate authority that is not there': [
      'name: a\nbase_url: https://a.test\ntls: { ca: ▸none.pem }',
      'none.pem cannot be read (ENOENT)',
      'Paths are relative to the target file.',
    ],
    'a certificate authority that is none': [
      'name: a\nbase_url: https://a.test\ntls: { ca: ▸ids.json }',
      'ids.json is no PEM',
      'It begins with -----BEGIN …-----.',
    ],
    'a certificate without its key': ['name: a\ntls: ▸{ cert: a.pem }', "'tls' lacks the key 'key'"],
    'no pace at all': ['name: a\npacing: { requests_per_second: ▸0 }', "'requests_per_second' must be > 0"],
  };
  for (const [what, [yaml, message, hint]] of Object.entries(table)) {
    test(what, () => {
      const { text, places } = marked(yaml);
      written('ids.json', '{}');
      const file = written('wrong.yaml', text);
      const failure = (() => {
        try {
          loaded(file);
        } catch (error) {
          if (error instanceof UnusableInput) return error;
          throw error;
        }
        return undefined;
      })();
      expect(failure?.problems[0]).toMatchObject({ at: places[0], message, ...(hint === undefined ? {} : { hint }) });
      expect(failure?.problems).toHaveLength(1);
    });
  }
});

test.describe('an operation that is offered elsewhere', () => {
  const operation = { method: 'POST', path: '/check' };

  test('is asked there, with what stood behind the documented path', async () => {
    const sent: string[] = [];
    const channel = relocated(
      channelTo(({ method, path: place }: HttpRequest) => {
        sent.push(`${method} ${place}`);
        return { status: 200, headers: [], body: '' };
      }),
      operation,
    );
    for (const [method, place] of [
      ['GET', '/v1/promotions/validation'],
      ['GET', '/v1/promotions/validation?a=b'],
      ['GET', '/v1/promotions/validation/'],
      ['PUT', '/v1/promotions/validation'],
      ['GET', '/elsewhere'],
    ] as const) {
      await channel.send({ method, path: place, headers: [] });
    }
    expect(sent).toEqual(['POST /check', 'POST /check?a=b', 'POST /check/', 'PUT /check', 'POST /elsewhere']);
  });

  test('is said at the top of the certificate, which cannot attest the documented place', async () => {
    const answer = independentDeployment(suite.world.world);
    const { url, close } = await listen(({ path: place, ...request }) =>
      place.startsWith('/check') && request.method === 'POST'
        ? answer({ ...request, method: 'GET', path: place.replace('/check', '/v1/promotions/validation') })
        : { status: 404, headers: [], body: '' },
    );
    const file = written(
      'elsewhere.yaml',
      `name: elsewhere\nversion: "3"\ncontact: me@example.com\nbase_url: ${url}\noperation: { method: POST, path: /check }\n`,
    );
    const only = ['--', '--grep', '@request.get-with-body|@limit.newest-150'];
    const { status } = await conformance(['certify', '--target', file, '--out', 'out', ...only], {
      cwd: folder,
      env: environment,
    });
    await close();
    const certificate = readCertificate(folder, 'out');
    expect(certificate.target).toEqual({ name: 'elsewhere', version: '3', contact: 'me@example.com', base_url: url });
    expect(certificate.notes[0]).toBe(elsewhere(operation));
    expect(certificate.summary).toEqual({ pass: 1, 'not-applicable': 16 });
    expect(requirementsWith('pass', certificate)).toEqual(['limit.newest-150']);
    expect(status).toBe(4);
  });
});

test.describe('--dry-run', () => {
  test('prints what would be sent, and sends nothing', async () => {
    let requests = 0;
    const { url, close } = await listen(() => {
      requests += 1;
      return { status: 200, headers: [], body: '' };
    });
    const { status, output } = await conformance(['certify', '--dry-run', '--base-url', url], {
      cwd: folder,
      env: environment,
    });
    await close();
    expect(status).toBe(0);
    expect(requests).toBe(0);
    expect(output).toContain('campaign-filter  (');
    expect(output).toMatch(
      /^ {2}GET \/v1\/promotions\/validation\?\[filters\]\[promotion_id\]\[conditions\]\[\$is\]=camp_/m,
    );
    expect(output).toMatch(/^method-delete {2}\(\d+\) {2}intrusive$/m);
    expect(output).toMatch(/^119 of 119 cases, \d+ requests, \d+ of them intrusive\. Nothing was sent\.$/m);
    expect(output).not.toContain('the-token');
  });

  test('counts what a run then sends', async () => {
    const plan = await conformance(['certify', '--dry-run'], { cwd: folder });
    const { certificate } = await certifyInProcess(independentDeployment(suite.world.world));
    const [, planned] = /(\d+) requests/.exec(plan.output) ?? [];
    expect(certificate.requests_sent).toBe(Number(planned));
  });

  test('shows what goes to an operation that is elsewhere, and counts random requests', async () => {
    const file = written('elsewhere.yaml', 'name: a\noperation: { method: POST, path: /check }');
    const args = ['certify', '--dry-run', '--target', file, '--explore', '300'];
    const { output } = await conformance(args, { cwd: folder });
    expect(output).toMatch(/^ {2}POST \/check {2}\d+ characters$/m);
    expect(output).not.toMatch(/^ {2}GET/m);
    expect(output).toContain('random requests  (300, and as many to shrink a failure)');
  });

  test('says what is left out, and why', async () => {
    const file = written(
      'three.yaml',
      'name: a\nids: { customers: { ann: a }, products: { mug: m }, campaigns: { spring: s } }',
    );
    const { output } = await conformance(['certify', '--dry-run', '--no-intrusive', '--target', file], { cwd: folder });
    expect(output).toMatch(/^method-delete {2}Intrusive cases are left out of this run\.$/m);
    expect(output).toMatch(
      /^reserved-for-one-customer {2}not applicable: the target does not hold customer ordinary, .* and \d+ more$/m,
    );
    expect(output).toContain(' 0 of them intrusive');
  });
});
