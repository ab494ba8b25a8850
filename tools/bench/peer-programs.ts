import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { documentedOperation } from '../../src/contract/operation.js';
import { suite } from '../../test/support/in-process.js';
import { createPatchedRequest } from '../../test/support/patched-request.js';
import { benchCredentials } from './measure-cost.js';

/** Other programs that send a body on GET and check status and JSON Schema of the response. */
const peers = { newman: '6', dredd: '14' } as const;

/** A schema of all responses of the reference deployment, with keywords that all drafts share. */
export const responseSchema = {
  type: 'object',
  required: ['valid', 'promotions'],
  properties: {
    valid: { type: 'boolean' },
    promotions: { type: 'array', items: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } } },
  },
};

/**
 * Installs the peers, once per machine, and writes their input.
 *
 * @param folder for their input
 * @param cases the number of cases, each with one request of its own
 * @returns the arguments of `node` for each; undefined if they cannot be installed
 */
export function writePeerPrograms(folder: string, url: string, cases: number): Record<string, string[]> | undefined {
  const installed = path.join(tmpdir(), 'conformance-bench-peers');
  if (!Object.keys(peers).every((name) => existsSync(path.join(installed, 'node_modules', name)))) {
    mkdirSync(installed, { recursive: true });
    const wanted = Object.entries(peers).map(([name, version]) => `${name}@${version}`);
    const args = ['install', '--no-audit', '--no-fund', '--silent', '--prefix', installed, ...wanted];
    if (spawnSync('npm', args, { stdio: 'inherit' }).status !== 0) return undefined;
  }
  const bodies = Array.from({ length: cases }, (_, n) => bodyOf(n));
  const collection = path.join(folder, 'collection.json');
  writeFileSync(collection, JSON.stringify(collectionOf(url, bodies)));
  const blueprint = path.join(folder, 'blueprint.apib');
  writeFileSync(blueprint, blueprintOf(bodies));
  const script = (...names: string[]) => path.join(installed, 'node_modules', ...names);
  return {
    Newman: [script('newman', 'bin', 'newman.js'), 'run', collection],
    Dredd: [script('dredd', 'bin', 'dredd'), blueprint, url],
  };
}

const headers = {
  'X-Client-Application-Id': benchCredentials.applicationId,
  'X-Client-Token': benchCredentials.token,
  'Content-Type': 'application/json',
};

function bodyOf(n: number): string {
  const items = [{ product_id: '<product mug>', quantity: n + 2 }];
  return createPatchedRequest(suite.world, { body: { order: { items } } }).body ?? '';
}

/** Returns a collection for Newman. */
function collectionOf(url: string, bodies: readonly string[]): object {
  const exec = [
    "pm.test('status', () => pm.response.to.have.status(200));",
    `pm.test('schema', () => pm.response.to.have.jsonSchema(${JSON.stringify(responseSchema)}));`,
  ];
  return {
    info: { name: 'bench', schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json' },
    item: bodies.map((raw, n) => ({
      name: `case ${n}`,
      event: [{ listen: 'test', script: { type: 'text/javascript', exec } }],
      protocolProfileBehavior: { disableBodyPruning: true },
      request: {
        method: documentedOperation.method,
        url: url + documentedOperation.path,
        header: Object.entries(headers).map(([key, value]) => ({ key, value })),
        body: { mode: 'raw', raw },
      },
    })),
  };
}

/** Returns an API Blueprint for Dredd. */
function blueprintOf(bodies: readonly string[]): string {
  const { 'Content-Type': type, ...own } = headers;
  const schema = JSON.stringify(responseSchema);
  const inset = (lines: readonly string[]) => lines.map((line) => `            ${line}`).join('\n');
  const transactions = bodies.map((body, n) =>
    [
      `+ Request case ${n} (${type})`,
      '    + Headers',
      '',
      inset(Object.entries(own).map((header) => header.join(': '))),
      '',
      '    + Body',
      '',
      inset([body]),
      '',
      `+ Response 200 (${type})`,
      '    + Schema',
      '',
      inset([schema]),
      '',
    ].join('\n'),
  );
  const { method, path: where } = documentedOperation;
  return `FORMAT: 1A\n\n# bench\n\n## Validation [${where}]\n\n### Ask [${method}]\n\n${transactions.join('\n')}`;
}
