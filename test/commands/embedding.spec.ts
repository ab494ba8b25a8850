/** The programs of docs/embedding.md, type-checked and run. */

import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { createRecord, renderRecord } from '../../src/record/target-record.js';
import { packageRoot } from '../../src/support/package-root.js';
import { credentialVariables, makeTestFolder, runConformance } from '../support/cli.js';
import { certifyInProcess, createReference, suite } from '../support/in-process.js';

const cwd = makeTestFolder();

const page = readFileSync(path.join(packageRoot, 'docs', 'embedding.md'), 'utf8');
const [fastify = '', serverless = '', mock = ''] = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code);

/** A deployment of the user, with the mock as its logic. */
const answer = `import { createMock } from 'promotion-validation-conformance/mock';
const { CLIENT_APPLICATION_ID: applicationId = '', CLIENT_TOKEN: token = '' } = process.env;
const answer = createMock({ credentials: { applicationId, token } });
`;

const files = {
  'package.json': '{ "type": "module" }',
  'app.ts': `${answer}import Fastify from 'fastify';
export const app = Fastify();
app.addHttpMethod('GET', { hasBody: true, overrideExisting: true });
app.removeAllContentTypeParsers();
app.addContentTypeParser('*', { parseAs: 'string' }, (_, body, done) => done(null, body));
app.all('/*', (request, reply) => {
  const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)] as const);
  const { method, url: path, body } = request;
  const response = answer({ method, path, headers, body: String(body ?? '') });
  return reply.code(response.status).headers(Object.fromEntries(response.headers)).send(response.body);
});
`,
  'handler.ts': `${answer}export async function handler(event: {
  rawPath: string; rawQueryString: string; requestContext: { http: { method: string } };
  headers: Record<string, string>; body: string;
}) {
  const path = event.rawPath + (event.rawQueryString === '' ? '' : '?' + event.rawQueryString);
  const { method } = event.requestContext.http;
  const { status, headers, body } = answer({ method, path, headers: Object.entries(event.headers), body: event.body });
  return { statusCode: status, headers: Object.fromEntries(headers), body };
}
`,
  'fastify.ts': fastify,
  'serverless.ts': serverless,
  'mock.ts': `${mock}
await new Promise((resolve) => server.once('listening', resolve));
const { port } = server.address() as { port: number };
const ok = await fetch('http://127.0.0.1:' + port + '/v1/promotions/validation', { headers: headers.map((pair) => [...pair]) as [string, string][] });
console.log(ok.status);
server.close();
`,
};

async function run(program: string): Promise<string> {
  const { output } = await runConformance([], { cwd, env: credentialVariables, script: `${program}.js` });
  return output;
}

test('The programs have the right types, and certify and mock as they say', { tag: '@long' }, async () => {
  mkdirSync(path.join(cwd, 'node_modules', '@types'), { recursive: true });
  symlinkSync(packageRoot, path.join(cwd, 'node_modules', 'promotion-validation-conformance'));
  for (const name of ['fastify', '@types/node'])
    symlinkSync(path.join(packageRoot, 'node_modules', name), path.join(cwd, 'node_modules', name));
  mkdirSync(path.join(cwd, 'records'));
  const { results } = await certifyInProcess(createReference(), { infersShape: true });
  writeFileSync(path.join(cwd, 'records', 'shop.yaml'), renderRecord(createRecord(suite, results, 'shop')));
  for (const [name, content] of Object.entries(files)) writeFileSync(path.join(cwd, name), content);
  const options = '--strict --skipLibCheck --target es2023 --module nodenext --types node'.split(' ');
  const programs = ['fastify.ts', 'serverless.ts', 'mock.ts'];
  const tsc = path.join(packageRoot, 'node_modules', '.bin', 'tsc');
  const { stdout } = spawnSync(tsc, [...options, ...programs], { cwd, encoding: 'utf8' });
  expect(stdout).toBe('');
  expect(await run('fastify')).toMatch(/^conforms /);
  expect(await run('serverless')).toMatch(/^conforms /);
  expect(await run('mock')).toBe('404\n200\n');
});
