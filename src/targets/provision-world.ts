import { spawn } from 'node:child_process';
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { quote } from 'shlex';
import { findOwnWorld } from '../cases/suite.js';
import { listCredentialSecrets } from '../contract/operation.js';
import { createRedactor, type Secret } from '../redaction/redactor.js';
import { createFolder } from '../support/create-folder.js';
import { isJsonObject, parseJson } from '../support/json.js';
import { UnusableInput } from '../support/problem.js';
import { toOneLine } from '../support/untrusted-text.js';
import { loadYaml } from '../support/yaml-file.js';
import { bindWorld } from '../world/bind-world.js';
import { listNames, type NamedWorld, type ThingKind, thingKinds } from '../world/named-world.js';
import type { World } from '../world/world.js';
import { loadWorld } from '../world/world-file.js';
import { createNamedExport } from '../world/world-formats.js';
import { readAvailability } from './availability.js';
import type { Environment } from './environment.js';
import type { RunOptions } from './run-options.js';
import { containsSecret } from './secret-checks.js';
import { loadTarget } from './target.js';
import { type BindingsDocument, readTargetFile, resolveBeside, type TargetFile } from './target-file.js';

export interface ProvisionResult {
  readonly bindings: string;
  /** The number of ids in it. */
  readonly bound: number;
  /** Things without an id, each with its kind. */
  readonly missing: readonly string[];
}

/** Maps ids of the world to ids of the deployment. */
type IdMap = ReadonlyMap<string, string>;

/**
 * Runs the provision command of a target file, which creates the world in the deployment, and writes the ids that it
 * prints to the bindings file. The file changes only if everything succeeds.
 *
 * @param reuses whether to keep the ids of the bindings file, so that the command creates only the rest
 * @param say receives a line about what will be created, if the bindings file has ids already
 * @throws UnusableInput if there is no command, or if the command fails or does not print ids
 */
export async function provisionWorld(
  runOptions: RunOptions,
  environment: Environment,
  reuses: boolean,
  say: (line: string) => void,
): Promise<ProvisionResult> {
  const target = readTargetFile(runOptions);
  const { provision: command, bindings: name, capabilities } = target?.document ?? {};
  if (target === undefined || command === undefined || name === undefined) {
    const at = target?.yaml.locate([]) ?? { setting: 'TARGET' };
    const hint = "Add 'provision: [command, arguments]' and 'bindings: FILE', or name a target file that has them.";
    throw new UnusableInput([{ at, message: 'there is no command to provision the deployment', hint }]);
  }
  const ownWorld = runOptions.cases ? findOwnWorld(runOptions.cases) : undefined;
  const world = bindWorld(
    loadWorld(ownWorld),
    capabilities === undefined ? {} : { capabilities: new Set(capabilities) },
  );
  const available = { ...createNamedExport(world), tiers: world.tiers.filter(({ id }) => !world.unavailable.has(id)) };
  const file = resolveBeside(target, name);
  // Before the command runs, so that the ids of created things can be saved.
  createFolder(path.dirname(file));
  const { location, options, notes } = readDeployment(runOptions, environment);
  for (const note of notes) process.stderr.write(`${note}\n`);
  const { baseUrl, credentials } = location;
  const secrets = [...listCredentialSecrets(credentials), ...(options.secrets ?? [])];
  const redact = createRedactor(secrets);
  const existing: IdMap = existsSync(file) ? readExistingIds(world, available, runOptions) : new Map();
  const total = listThings(available).length;
  const bindings = path.relative(process.cwd(), file);
  if (existing.size > 0) say(describePlan(bindings, existing.size, total, reuses));
  if (reuses && existing.size === total) return { bindings, bound: total, missing: [] };
  const kept: IdMap = reuses ? existing : new Map();
  if (kept.size > 0) checkOrder(available, kept, target);
  const output = await runCommand(
    target,
    command,
    JSON.stringify(kept.size === 0 ? available : { ...available, existing: Object.fromEntries(kept) }),
    { BASE_URL: baseUrl, CLIENT_APPLICATION_ID: credentials.applicationId, CLIENT_TOKEN: credentials.token },
    (line) => toOneLine(redact(line)),
  );
  const created = parseIds(output, world, secrets, target);
  const ids: IdMap = new Map([...kept, ...created]);
  const document = createBindings(ids, world, target);
  replaceFile(file, file.endsWith('.json') ? `${JSON.stringify(document, null, 2)}\n` : renderYaml(document, target));
  const missing = listThings(available).filter(({ id }) => !ids.has(id));
  return { bindings, bound: ids.size, missing: missing.map(({ kind, name }) => `${kind} ${name}`) };
}

function listThings(world: World): { kind: ThingKind; id: string; name: string }[] {
  return thingKinds.flatMap((kind) => {
    const things: readonly { id: string; name?: string }[] = world[listNames[kind]];
    return things.map(({ id, name = id }) => ({ kind, id, name }));
  });
}

/** Reads the ids in the bindings file for things that are available. */
function readExistingIds(world: NamedWorld, available: World, options: RunOptions): IdMap {
  const { bindings } = readAvailability(options).availability;
  const wanted = new Set(listThings(available).map(({ id }) => id));
  const known = thingKinds.flatMap((kind) =>
    [...world.ids[kind]].map(([name, id]) => [id, bindings?.[kind].get(name)?.id] as const),
  );
  return new Map(known.flatMap(([id, own]) => (own === undefined || !wanted.has(id) ? [] : [[id, own] as const])));
}

/** Announces what will be created: the user may not want a second world. */
function describePlan(file: string, existing: number, total: number, reuses: boolean): string {
  const start = `${file} has ${existing} of ${total} ids already`;
  if (!reuses) return `${start}: everything is created again with new ids. Use --reuse to keep the existing ids.`;
  if (existing === total) return `${start}: nothing is left to create.`;
  return `${start}: they are kept, and ${total - existing} things are created.`;
}

/** Checks that every missing tier is newer than the existing ones: new tiers are always the newest. */
function checkOrder({ tiers }: World, kept: IdMap, target: TargetFile): void {
  const newestKept = tiers.findIndex(({ id }) => kept.has(id));
  const late = newestKept < 0 ? undefined : tiers.slice(newestKept).find(({ id }) => !kept.has(id));
  if (late === undefined) return;
  const message = `tier '${late.name}' has no id but newer tiers have: created now, it would be the newest`;
  const hint = 'Provision again without --reuse, in an empty deployment.';
  throw new UnusableInput([{ at: target.yaml.locate(['bindings']), message, hint }]);
}

function readDeployment(runOptions: RunOptions, environment: Environment) {
  const { target, connection } = loadTarget(runOptions, environment);
  const { location, options } = connection;
  if (location.kind === 'reference') throw new Error('There is no deployment to provision.');
  return { location, options, notes: target.notes ?? [] };
}

function createCommandError(target: TargetFile, message: string, hint: string): UnusableInput {
  return new UnusableInput([{ at: target.yaml.locate(['provision']), message: `the command ${message}`, hint }]);
}

/** Runs the command in the folder of the target file. @returns its standard output */
async function runCommand(
  target: TargetFile,
  [program = '', ...args]: readonly string[],
  input: string,
  variables: Record<string, string>,
  sanitize: (text: string) => string,
): Promise<string> {
  const child = spawn(program, args, {
    cwd: path.dirname(path.resolve(target.yaml.file)),
    env: { ...process.env, ...variables },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // The messages may contain credentials and control characters.
  const forwarded = (async () => {
    for await (const line of createInterface({ input: child.stderr })) process.stderr.write(`| ${sanitize(line)}\n`);
  })();
  const ended = new Promise<string | undefined>((resolve) => {
    child.on('error', (error: NodeJS.ErrnoException) => resolve(`cannot be run (${error.code ?? error.message})`));
    child.on('close', (code, signal) => resolve(code === 0 ? undefined : `ended with ${signal ?? `status ${code}`}`));
  });
  // The command need not read its input.
  child.stdin.on('error', () => undefined).end(input);
  const [output, failure] = await Promise.all([text(child.stdout), ended, forwarded]);
  if (failure !== undefined) throw createCommandError(target, failure, 'The bindings file was not changed.');
  return output;
}

/** Parses the output of the command. */
function parseIds(output: string, { ids }: NamedWorld, secrets: readonly Secret[], target: TargetFile): IdMap {
  const parsed = parseJson(output);
  const entries = isJsonObject(parsed) ? Object.entries(parsed) : [];
  if (
    entries.length === 0 ||
    !entries.every(([, id]) => (typeof id === 'string' ? id !== '' : Number.isSafeInteger(id)))
  )
    throw createCommandError(
      target,
      'did not print ids',
      'It must print one JSON object and nothing else: { "world id": "deployment id", … }.',
    );
  const created = new Map(entries.map(([id, own]) => [id, String(own)]));
  const values = secrets.map(({ value }) => value);
  if ([...created].flat().some((id) => containsSecret(id, values)))
    throw createCommandError(target, 'printed an id that contains a credential', 'Ids appear in files and reports.');
  const known = new Set(thingKinds.flatMap((kind) => [...ids[kind].values()]));
  const unknown = [...created.keys()].find((id) => !known.has(id));
  if (unknown !== undefined)
    throw createCommandError(
      target,
      `printed '${unknown}', which is not an id of the world`,
      'Use the ids of its input.',
    );
  const invalid = [...created.values()].find((id) => toOneLine(id) !== id);
  if (invalid !== undefined)
    throw createCommandError(target, `printed an invalid id '${invalid}'`, 'An id has no control characters.');
  return created;
}

/** Creates the content of the bindings file. */
function createBindings(ids: IdMap, world: NamedWorld, target: TargetFile): BindingsDocument {
  const bindings = thingKinds.map((kind) => {
    const bound = new Map<string, string>();
    for (const [name, id] of world.ids[kind]) {
      const own = ids.get(id);
      if (own === undefined) continue;
      const other = [...bound].find(([, each]) => each === own)?.[0];
      if (other !== undefined) {
        const message = `printed '${own}' for ${kind} ${other} and for ${kind} ${name}`;
        throw createCommandError(target, message, 'Every thing needs its own id.');
      }
      bound.set(name, own);
    }
    return [listNames[kind], Object.fromEntries(bound)];
  });
  return Object.fromEntries(bindings) as BindingsDocument;
}

function renderYaml(document: BindingsDocument, target: TargetFile): string {
  const heading = `# Written by: npx conformance provision --target ${toOneLine(quote(target.yaml.file))}`;
  return `${heading}\n${loadYaml().stringify(document, { lineWidth: 0 })}`;
}

/** Replaces a file at once, so that readers never see a part of it. */
function replaceFile(file: string, content: string): void {
  const draft = `${file}.${process.pid}.tmp`;
  writeFileSync(draft, content);
  renameSync(draft, file);
}
