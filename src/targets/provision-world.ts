import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { findOwnWorld } from '../cases/suite.js';
import { listCredentialSecrets } from '../contract/operation.js';
import type { PartialConnectionOptions } from '../http/connection-options.js';
import { createRedactor } from '../redaction/redactor.js';
import { UnusableInput } from '../support/problem.js';
import { toOneLine } from '../support/untrusted-text.js';
import { loadYaml } from '../support/yaml-file.js';
import { bindWorld } from '../world/bind-world.js';
import { listNames, type NamedWorld, thingKinds } from '../world/named-world.js';
import type { World } from '../world/world.js';
import { loadWorld } from '../world/world-file.js';
import { createNamedExport } from '../world/world-formats.js';
import { readAvailability } from './availability.js';
import type { Environment } from './environment.js';
import type { RunOptions } from './run-options.js';
import { containsSecret } from './secret-checks.js';
import { loadTarget } from './target.js';
import type { TargetLocation } from './target-connection.js';
import { type BindingsDocument, readTargetFile, resolveBeside, type TargetFile } from './target-file.js';

/** What provisioning did. */
export interface ProvisionResult {
  /** The file in which the ids are now. */
  readonly bindings: string;
  /** How many ids the command printed. */
  readonly bound: number;
  /** Names for which the command printed no id, each with its kind. */
  readonly missing: readonly string[];
}

/**
 * Has the world created in the deployment under test, by the command that its target file names, and writes the ids
 * that the command prints into the bindings file. Unless all of that went well, the file stays as it was.
 *
 * @param reuses whether what the bindings file has an id for is kept, and the command creates the rest alone
 * @param say is called with what is about to be done, where the bindings file has ids already
 * @throws UnusableInput where the target file names no command, or the command fails or prints something else than ids
 */
export async function provisionWorld(
  runOptions: RunOptions,
  environment: Environment,
  reuses: boolean,
  say: (line: string) => void,
): Promise<ProvisionResult> {
  const target = readTargetFile(runOptions);
  const command = target?.document.provision;
  const name = target?.document.bindings;
  if (target === undefined || command === undefined || name === undefined) {
    const at = target?.yaml.locate([]) ?? { setting: 'TARGET' };
    const hint = "Add 'provision: [command, arguments]' and 'bindings: FILE', or name a target file that has them.";
    throw new UnusableInput([{ at, message: 'no command to provision the deployment is named', hint }]);
  }
  const { capabilities } = target.document;
  const own = runOptions.cases;
  const world = loadWorld(undefined, own ? findOwnWorld(own) : undefined);
  const named = bindWorld(world, capabilities === undefined ? {} : { capabilities: new Set(capabilities) });
  const available = availableIn(named);
  const file = resolveBeside(target, name);
  // Before the command runs: what it creates must not be lost.
  mkdirSync(path.resolve(path.dirname(file)), { recursive: true });
  const { place, options } = deploymentFor(runOptions, environment);
  const { baseUrl, credentials } = place;
  const secrets = [...listCredentialSecrets(credentials), ...(options.secrets ?? [])];
  const redacted = createRedactor(secrets);
  const existing = existsSync(file) ? existingIds(named, available, runOptions) : new Map<string, string>();
  const bindings = path.relative(process.cwd(), file);
  if (existing.size > 0) say(intention(bindings, existing, available, reuses));
  if (reuses && existing.size === thingsOf(available).length) return { bindings, bound: existing.size, missing: [] };
  const kept = reuses ? existing : new Map<string, string>();
  if (kept.size > 0) checkOrder(available, kept, target);
  const printed = await run(
    target,
    command,
    // Who reuses nothing gets the world as it is printed.
    JSON.stringify(kept.size === 0 ? available : { ...available, existing: Object.fromEntries(kept) }),
    { BASE_URL: baseUrl, CLIENT_APPLICATION_ID: credentials.applicationId, CLIENT_TOKEN: credentials.token },
    (line) => toOneLine(redacted(line)),
  );
  const { document, bound, without } = bindingsFrom(
    printed,
    named,
    available,
    target,
    secrets.map(({ value }) => value),
    kept,
  );
  replace(file, file.endsWith('.json') ? `${JSON.stringify(document, null, 2)}\n` : asYaml(document, target));
  return { bindings, bound, missing: without };
}

/** All things of a world. */
function thingsOf(world: World): readonly { readonly id: string }[] {
  return thingKinds.flatMap((kind): readonly { readonly id: string }[] => world[listNames[kind]]);
}

/** The deployment's ids of what is there already, as the bindings file says, by the world's. */
function existingIds(named: NamedWorld, available: World, options: RunOptions): Map<string, string> {
  const { bindings } = readAvailability(options).availability;
  const wanted = new Set(thingsOf(available).map(({ id }) => id));
  return new Map(
    thingKinds.flatMap((kind) =>
      [...named.ids[kind]].flatMap(([name, id]): [string, string][] => {
        const own = bindings?.[kind].get(name);
        return own === undefined || !wanted.has(id) ? [] : [[id, own.id]];
      }),
    ),
  );
}

/** What is about to be done, in a line: a second world beside the first may not be what somebody wants. */
function intention(file: string, existing: ReadonlyMap<string, string>, available: World, reuses: boolean): string {
  const total = thingsOf(available).length;
  const has = `${file} has ${existing.size} of ${total} ids already`;
  if (!reuses) return `${has}: all is created once more, under new ids. With --reuse what has an id is kept.`;
  const rest = total - existing.size;
  return rest === 0 ? `${has}: nothing is left to create.` : `${has}: they are kept, and ${rest} things are created.`;
}

/** What is created is newer than what is there, so that a tier that belongs before those can no longer be created. */
function checkOrder({ tiers }: World, kept: ReadonlyMap<string, string>, target: TargetFile): void {
  const firstKept = tiers.findIndex(({ id }) => kept.has(id));
  const late = tiers.slice(Math.max(firstKept, 0)).find(({ id }) => firstKept >= 0 && !kept.has(id));
  if (late === undefined) return;
  const message = `tier ${late.name} has no id, and newer ones have: created now, it would be the newest`;
  const hint = 'Have all created once more, without --reuse, in a deployment that is empty.';
  throw new UnusableInput([{ at: target.yaml.locate(['bindings']), message, hint }]);
}

/** The world without what the deployment is not capable of. */
function availableIn(named: NamedWorld): World {
  return { ...createNamedExport(named), tiers: named.tiers.filter(({ id }) => !named.unavailable.has(id)) };
}

/** How the target is reached. */
function deploymentFor(
  runOptions: RunOptions,
  environment: Environment,
): {
  place: Extract<TargetLocation, { kind: 'deployment' }>;
  options: PartialConnectionOptions;
} {
  const {
    target: { notes = [] },
    connection: { location: place, options },
  } = loadTarget(runOptions, environment);
  for (const note of notes) process.stderr.write(`${note}\n`);
  // A target file never stands for the reference deployment.
  if (place.kind === 'reference') throw new Error('There is no deployment to provision.');
  return { place, options };
}

/** Runs the command beside the target file. @returns what it printed */
async function run(
  target: TargetFile,
  [program = '', ...args]: readonly string[],
  input: string,
  variables: Record<string, string>,
  redact: (text: string) => string,
): Promise<string> {
  const failed = (why: string) =>
    new UnusableInput([
      { at: target.yaml.locate(['provision']), message: `the command ${why}`, hint: 'The bindings are as they were.' },
    ]);
  const child = spawn(program, args, {
    cwd: path.dirname(path.resolve(target.yaml.file)),
    env: { ...process.env, ...variables },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // What it says may hold the credentials that it got, and may be meant to be obeyed by a terminal.
  const said = (async () => {
    for await (const line of createInterface({ input: child.stderr })) process.stderr.write(`| ${redact(line)}\n`);
  })();
  const ended = new Promise<string | undefined>((resolve) => {
    child.on('error', (error: NodeJS.ErrnoException) => resolve(`cannot be run (${error.code ?? error.message})`));
    child.on('close', (code, signal) => resolve(code === 0 ? undefined : `ended with ${signal ?? `status ${code}`}`));
  });
  // A command that does not read all of it is no error.
  child.stdin.on('error', () => undefined).end(input);
  const [printed, failure] = await Promise.all([text(child.stdout), ended, said]);
  if (failure !== undefined) throw failed(failure);
  return printed;
}

/** Reads what the command printed: the world's id of each thing, and the deployment's. */
function bindingsFrom(
  printed: string,
  { ids }: NamedWorld,
  available: World,
  target: TargetFile,
  secrets: readonly string[],
  kept: ReadonlyMap<string, string>,
): { document: BindingsDocument; bound: number; without: string[] } {
  const wrong = (message: string, hint: string) =>
    new UnusableInput([{ at: target.yaml.locate(['provision']), message: `the command ${message}`, hint }]);
  const created = ownIds(printed);
  if (created === undefined)
    throw wrong(
      'did not print the ids that it created',
      'It prints one JSON object: { "id in the world": "id in the deployment", … }, and nothing else.',
    );
  const own = new Map([...kept, ...created]);
  if ([...own].flat().some((id) => containsSecret(id, secrets)))
    throw wrong('printed an id that contains a credential', 'It would stand in the bindings file and in every result.');
  const known = new Set(thingKinds.flatMap((kind) => [...ids[kind].values()]));
  const stray = [...own.keys()].find((id) => !known.has(id));
  if (stray !== undefined)
    throw wrong(`printed '${stray}', which is no id of the world`, 'The keys are the ids that it got.');
  const unfit = [...own.values()].find((id) => toOneLine(id) !== id);
  if (unfit !== undefined)
    throw wrong(`printed '${unfit}', which is no id`, 'An id has no line breaks and no control characters.');
  const document: BindingsDocument = {};
  const without: string[] = [];
  for (const kind of thingKinds) {
    const wanted = new Set<string>(available[listNames[kind]].map(({ id }) => id));
    const bound: Record<string, string> = {};
    for (const [name, id] of ids[kind]) {
      const its = own.get(id);
      if (its === undefined) {
        if (wanted.has(id)) without.push(`${kind} ${name}`);
        continue;
      }
      const other = Object.keys(bound).find((each) => bound[each] === its);
      if (other !== undefined)
        throw wrong(`printed '${its}' for ${kind} ${other} and for ${kind} ${name}`, 'Each has an id of its own.');
      bound[name] = its;
    }
    document[listNames[kind]] = bound;
  }
  return { document, bound: own.size, without };
}

function ownIds(printed: string): Map<string, string> | undefined {
  try {
    const value: unknown = JSON.parse(printed);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    const entries = Object.entries(value).map(([id, own]): [string, string] => [id, String(own)]);
    const isWhole = Object.values(value).every((own) =>
      typeof own === 'string' ? own !== '' : Number.isSafeInteger(own),
    );
    return isWhole && entries.length > 0 ? new Map(entries) : undefined;
  } catch {
    return undefined;
  }
}

function asYaml(document: BindingsDocument, target: TargetFile): string {
  const heading = `# Written by: npx conformance provision --target ${target.yaml.file}`;
  return `${heading}\n${loadYaml().stringify(document, { lineWidth: 0 })}`;
}

/** Whoever reads the file meanwhile, or after an interruption, finds it whole. */
function replace(file: string, content: string): void {
  const draft = `${file}.${process.pid}.tmp`;
  writeFileSync(draft, content);
  renameSync(draft, file);
}
