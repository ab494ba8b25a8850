import { spawn } from 'node:child_process';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { stringify } from 'yaml';
import type { StatedOptions } from '../http/connection-options.js';
import { credentialPlaceholders } from '../http/credentials.js';
import { redactor } from '../http/redact.js';
import { oneLine } from '../support/foreign-text.js';
import { UnusableInput } from '../support/problem.js';
import { boundWorld } from '../world/bindings.js';
import { worldOf } from '../world/formats.js';
import { kinds, lists, type NamedWorld } from '../world/named-world.js';
import type { World } from '../world/world.js';
import { loadWorld } from '../world/world-file.js';
import type { Place } from './connection.js';
import type { Environment } from './environment.js';
import { containsSecret } from './secret-checks.js';
import { loadTarget } from './target.js';
import { type BindingsDocument, besideTarget, type TargetFile, targetFileOf } from './target-file.js';

/** What provisioning did. */
export interface Provisioned {
  /** The file in which the ids are now. */
  readonly bindings: string;
  /** How many ids the command printed. */
  readonly bound: number;
  /** Names for which the command printed no id, each with its kind. */
  readonly without: readonly string[];
}

/**
 * Has the world created in the deployment under test, by the command that its target file names, and writes the ids
 * that the command prints into the bindings file. Unless all of that went well, the file stays as it was.
 *
 * @throws UnusableInput where the target file names no command, or the command fails or prints something else than ids
 */
export async function provision(environment: Environment): Promise<Provisioned> {
  const target = targetFileOf(environment);
  const command = target?.document.provision;
  const name = target?.document.bindings;
  if (target === undefined || command === undefined || name === undefined) {
    const at = target?.yaml.at([]) ?? { setting: 'TARGET' };
    const hint = "Add 'provision: [command, arguments]' and 'bindings: FILE', or name a target file that has them.";
    throw new UnusableInput([{ at, message: 'no command to provision the deployment is named', hint }]);
  }
  const { capabilities } = target.document;
  const named = boundWorld(loadWorld(), capabilities === undefined ? {} : { capabilities: new Set(capabilities) });
  const available = availableIn(named);
  const file = besideTarget(target, name);
  // Before the command runs: what it creates must not be lost.
  mkdirSync(path.resolve(path.dirname(file)), { recursive: true });
  const { place, options } = deploymentFor(environment, target);
  const { baseUrl, credentials } = place;
  const secrets = [
    { value: credentials.token, placeholder: credentialPlaceholders.token },
    { value: credentials.applicationId, placeholder: credentialPlaceholders.applicationId },
    ...(options.secrets ?? []),
  ];
  const redacted = redactor(secrets);
  const printed = await run(
    target,
    command,
    JSON.stringify(available),
    { BASE_URL: baseUrl, CLIENT_APPLICATION_ID: credentials.applicationId, CLIENT_TOKEN: credentials.token },
    (line) => oneLine(redacted(line)),
  );
  const { document, bound, without } = bindingsFrom(
    printed,
    named,
    available,
    target,
    secrets.map(({ value }) => value),
  );
  replace(file, file.endsWith('.json') ? `${JSON.stringify(document, null, 2)}\n` : asYaml(document, target));
  return { bindings: path.relative(process.cwd(), file), bound, without };
}

/** The world without what the deployment is not capable of. */
function availableIn(named: NamedWorld): World {
  return { ...worldOf(named), tiers: named.tiers.filter(({ id }) => !named.unavailable.has(id)) };
}

/** How the target is reached, which must be a deployment of its own. */
function deploymentFor(
  environment: Environment,
  target: TargetFile,
): { place: Extract<Place, { kind: 'deployment' }>; options: StatedOptions } {
  const {
    target: { notes = [] },
    connection: { place, options },
  } = loadTarget(environment);
  for (const note of notes) process.stderr.write(`${note}\n`);
  if (place.kind === 'deployment') return { place, options };
  const hint = 'Give the target file a base_url, or set BASE_URL.';
  throw new UnusableInput([{ at: target.yaml.at([]), message: 'there is no deployment to provision', hint }]);
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
      { at: target.yaml.at(['provision']), message: `the command ${why}`, hint: 'The bindings are as they were.' },
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
): { document: BindingsDocument; bound: number; without: string[] } {
  const wrong = (message: string, hint: string) =>
    new UnusableInput([{ at: target.yaml.at(['provision']), message: `the command ${message}`, hint }]);
  const own = ownIds(printed);
  if (own === undefined)
    throw wrong(
      'did not print the ids that it created',
      'It prints one JSON object: { "id in the world": "id in the deployment", … }, and nothing else.',
    );
  if ([...own].flat().some((id) => containsSecret(id, secrets)))
    throw wrong('printed an id that contains a credential', 'It would stand in the bindings file and in every result.');
  const known = new Set(kinds.flatMap((kind) => [...ids[kind].values()]));
  const stray = [...own.keys()].find((id) => !known.has(id));
  if (stray !== undefined)
    throw wrong(`printed '${stray}', which is no id of the world`, 'The keys are the ids that it got.');
  const unfit = [...own.values()].find((id) => oneLine(id) !== id);
  if (unfit !== undefined)
    throw wrong(`printed '${unfit}', which is no id`, 'An id has no line breaks and no control characters.');
  const document: BindingsDocument = {};
  const without: string[] = [];
  for (const kind of kinds) {
    const wanted = new Set<string>(available[lists[kind]].map(({ id }) => id));
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
    document[lists[kind]] = bound;
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
  return `${heading}\n${stringify(document, { lineWidth: 0 })}`;
}

/** Whoever reads the file meanwhile, or after an interruption, finds it whole. */
function replace(file: string, content: string): void {
  const draft = `${file}.${process.pid}.tmp`;
  writeFileSync(draft, content);
  renameSync(draft, file);
}
