/**
 * Certifies a fleet (`fleet.ts`): deployments with one mistake each, which others wrote. Prints the first screen of each run, to
 * be graded by hand with the true mistake in view.
 *
 * Usage: npm run fleet -- FOLDER [OUT.jsonl] [ID …]. A run that was cut off goes on where the file ends. When the whole fleet is
 * measured, `test/grades/fleets.json` records what was found, under the name of the file.
 */

import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { CauseExample } from '../../src/certificate/cause-entry.js';
import type { Certificate } from '../../src/certificate/certificate.js';
import { parseEvidenceArchive } from '../../src/certificate/har-archive.js';
import { pickWorldLists } from '../../src/contract/world.js';
import type { Exchange } from '../../src/http/exchange.js';
import { loadSuite } from '../../src/suite/suite.js';
import { packageRoot } from '../../src/support/package-root.js';
import { type FleetMember, fleetCredentials, loadFleet, serveMember } from './fleet.js';
import { recordFleet } from './fleet-records.js';

/** What is graded. */
interface FleetEntry extends FleetMember {
  readonly verdict: string;
  readonly requests: number;
  readonly seconds: number;
  /** How many commands its contrasts have. All are run again. */
  readonly commands: number;
  /** Those that got something else than in the run. */
  readonly differing: readonly string[];
  readonly screen: readonly string[];
}

const firstScreen = 25;

const [folder = '', file = 'fleet.jsonl', ...ids] = process.argv.slice(2);
const temporary = mkdtempSync(path.join(os.tmpdir(), 'fleet-'));
const world = path.join(temporary, 'world.json');
writeFileSync(world, JSON.stringify(pickWorldLists(loadSuite().world)));

const fleet = loadFleet(folder);
const done = new Set(readEntries().map(({ id }) => id));
for (const member of fleet.members.filter(({ id }) => !done.has(id) && (ids.length === 0 || ids.includes(id)))) {
  const entry = await serveMember(fleet, member.id, world, (baseUrl) => certify(member, baseUrl));
  appendFileSync(file, `${JSON.stringify(entry)}\n`);
  process.stdout.write(
    `\n=== ${entry.id}: ${entry.verdict}, ${entry.requests} requests, ${entry.seconds} s | ${entry.story}\n`,
  );
  process.stdout.write(`${entry.screen.map((line) => `    ${line}`).join('\n')}\n`);
}

const entries = readEntries();
if (fleet.members.every(({ id }) => entries.some((entry) => entry.id === id)))
  recordFleet(path.basename(file, '.jsonl'), entries);

function readEntries(): FleetEntry[] {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  return lines.filter(Boolean).map((line) => JSON.parse(line));
}

function certify(member: FleetMember, baseUrl: string): FleetEntry {
  const out = path.join(temporary, member.id);
  const command = path.join(packageRoot, 'dist/bundle/src/cli/conformance.js');
  const started = Date.now();
  const args = [command, 'certify', '--base-url', baseUrl, '--out', out];
  const env = { ...process.env, ...fleetCredentials };
  const { stdout } = spawnSync(process.execPath, args, { cwd: temporary, env, encoding: 'utf8' });
  const certificate: Certificate = JSON.parse(readFileSync(path.join(out, 'certificate.json'), 'utf8'));
  const shown = (certificate.causes ?? []).flatMap(({ wrong = [], right }) => [...wrong, ...(right ? [right] : [])]);
  const { evidence } = parseEvidenceArchive(readFileSync(path.join(out, 'evidence.har')), 'evidence.har');
  const exchanges = new Map(evidence.exchanges.map((kept) => [kept.id, kept.exchange]));
  return {
    ...member,
    verdict: certificate.verdict,
    requests: certificate.requests_sent,
    seconds: (Date.now() - started) / 1_000,
    commands: shown.length,
    differing: shown.filter((request) => !isReproduced(request, exchanges)).map(({ repeat_with }) => repeat_with),
    screen: stdout.split('\n').filter(Boolean).slice(0, firstScreen),
  };
}

/** Whether a printed command gets the status and the body of the run. */
function isReproduced({ exchange, repeat_with }: CauseExample, exchanges: ReadonlyMap<string, Exchange>): boolean {
  const recorded = exchanges.get(exchange);
  if (recorded === undefined || !('response' in recorded)) return false;
  const { stdout } = spawnSync('sh', ['-c', repeat_with], {
    env: { ...process.env, ...fleetCredentials },
    encoding: 'utf8',
    maxBuffer: 1e8,
  });
  // A command that sends two requests shows two responses.
  const last = stdout.split(/^(?=HTTP\/1\.[01] \d{3} )/m).at(-1) ?? '';
  const [, status = ''] = /^HTTP\/1\.[01] (\d+)/.exec(last) ?? [];
  const body = last
    .split(/\r?\n\r?\n/)
    .slice(1)
    .join('\n\n');
  return Number(status) === recorded.response.status && body.trim() === recorded.response.body.trim();
}
