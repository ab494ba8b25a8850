import { spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { quote } from 'shlex';
import { stringify } from 'yaml';
import { findOwnWorld } from '../cases/suite.js';
import { createRedactor, type Secret } from '../redaction/redactor.js';
import { writeFilesTogether } from '../report/write-files-together.js';
import { isJsonObject, parseJson } from '../support/json.js';
import { refuse, type UnusableInput } from '../support/problem.js';
import { toOneLine } from '../support/untrusted-text.js';
import { bindWorld } from '../world/bind-world.js';
import { listNames, type ThingKind, thingKinds } from '../world/named-world.js';
import { loadWorld } from '../world/world-file.js';
import { createNamedExport } from '../world/world-formats.js';
import { readAvailability } from './availability.js';
import type { Environment, RunOptions } from './run-options.js';
import { containsSecret } from './secret-checks.js';
import { loadTarget } from './target.js';
import { listSecrets } from './target-connection.js';
import { readTargetFile, resolveBeside, type TargetFile } from './target-file.js';

/** Something of the world that the deployment can have. */
interface Thing {
  readonly kind: ThingKind;
  readonly name: string;
  readonly id: string;
}

/** Maps ids of the world to ids of the deployment. */
type IdMap = ReadonlyMap<string, string>;

/** Creates the error for a command that did not do its work. */
type Refuse = (message: string, hint: string) => UnusableInput;

/**
 * Runs the provision command of a target file, which creates the world in the deployment, and writes the ids that it
 * prints to the bindings file. The file changes only if everything succeeds.
 *
 * @param reuses whether to keep the ids of the bindings file, so that the command creates only the rest
 * @returns a report for people, in lines
 * @throws UnusableInput if there is no command, or if the command fails or does not print ids
 */
export async function provisionWorld(
  options: RunOptions,
  environment: Environment,
  reuses: boolean,
): Promise<string[]> {
  const { target, connection } = loadTarget(options, environment);
  const targetFile = readTargetFile(options);
  const { provision, bindings, capabilities } = targetFile?.document ?? {};
  if (!connection.endpoint || targetFile === undefined || provision === undefined || bindings === undefined) {
    const at = targetFile?.yaml.locate([]) ?? 'TARGET';
    const missing = [
      ...(connection.endpoint ? [] : ['a base URL with credentials']),
      ...(provision === undefined ? ["'provision: [command, arguments]'"] : []),
      ...(bindings === undefined ? ["'bindings: FILE'"] : []),
    ];
    const hint = 'Add what is missing, or name a target file that has it.';
    throw refuse(at, `the deployment cannot be provisioned without ${missing.join(', ')}`, hint);
  }
  const refuseCommand: Refuse = (message, hint) =>
    refuse(targetFile.yaml.locate(['provision']), `the command ${message}`, hint);
  for (const note of target.notes) process.stderr.write(`${note}\n`);
  const file = resolveBeside(targetFile, bindings);
  const shown = path.relative(process.cwd(), file);
  // Before the command runs, so that the ids of created things can be saved.
  mkdirSync(path.dirname(file), { recursive: true });
  const ownWorld = options.cases ? findOwnWorld(options.cases) : undefined;
  const supported = capabilities === undefined ? {} : { capabilities: new Set(capabilities) };
  const world = bindWorld(loadWorld(ownWorld), supported);
  const isAvailable = ({ id }: Pick<Thing, 'id'>) => !world.unavailable.has(id);
  const things = thingKinds
    .flatMap((kind) => [...world.ids[kind]].map(([name, id]): Thing => ({ kind, name, id })))
    .filter(isAvailable);
  const available = { ...createNamedExport(world), tiers: world.tiers.filter(isAvailable) };
  const kept: IdMap = reuses && existsSync(file) ? readExistingIds(things, options) : new Map();
  if (kept.size === things.length) return [`${shown} has ${kept.size} ids now.`];
  // New tiers are always the newest.
  const newestKept = available.tiers.findIndex(({ id }) => kept.has(id));
  const late = newestKept < 0 ? undefined : available.tiers.slice(newestKept).find(({ id }) => !kept.has(id));
  if (late !== undefined) {
    const message = `tier '${late.name}' has no id but newer tiers have: created now, it would be the newest`;
    const hint = 'Provision again without --reuse, in an empty deployment.';
    throw refuse(targetFile.yaml.locate(['bindings']), message, hint);
  }

  const { baseUrl, credentials } = connection.endpoint;
  const secrets = listSecrets(connection);
  const redact = createRedactor(secrets);
  const { output, failure } = await runCommand(
    provision,
    path.dirname(path.resolve(targetFile.yaml.file)),
    JSON.stringify(kept.size === 0 ? available : { ...available, existing: Object.fromEntries(kept) }),
    { BASE_URL: baseUrl, CLIENT_APPLICATION_ID: credentials.applicationId, CLIENT_TOKEN: credentials.token },
    (line) => toOneLine(redact(line)),
  );
  if (failure !== undefined) throw refuseCommand(failure, 'The bindings file was not changed.');
  const ids: IdMap = new Map([...kept, ...parseIds(output, things, secrets, refuseCommand)]);
  writeFilesTogether(path.dirname(file), () => [
    { file, text: renderBindings(ids, things, targetFile, refuseCommand) },
  ]);
  const missing = things.filter(({ id }) => !ids.has(id)).map(({ kind, name }) => `${kind} ${name}`);
  const rest = missing.length === 0 ? [] : [`Without an id: ${missing.join(', ')}.`];
  return [`${shown} has ${ids.size} ids now.`, ...rest];
}

/** Reads the ids in the bindings file. */
function readExistingIds(things: readonly Thing[], options: RunOptions): IdMap {
  const { bindings } = readAvailability(options).availability;
  return new Map(
    things.flatMap(({ kind, name, id }) => {
      const own = bindings?.[kind].get(name)?.id;
      return own === undefined ? [] : [[id, own] as const];
    }),
  );
}

/** Runs a command. @param folder in which it runs */
async function runCommand(
  [program = '', ...args]: readonly string[],
  folder: string,
  input: string,
  variables: Record<string, string>,
  sanitize: (text: string) => string,
): Promise<{ output: string; failure: string | undefined }> {
  const env = { ...process.env, ...variables };
  const child = spawn(program, args, { cwd: folder, env, stdio: ['pipe', 'pipe', 'pipe'] });
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
  return { output, failure };
}

/** Parses the output of the command. */
function parseIds(output: string, things: readonly Thing[], secrets: readonly Secret[], refuseCommand: Refuse): IdMap {
  const parsed = parseJson(output);
  const entries = isJsonObject(parsed) ? Object.entries(parsed) : [];
  const isId = (id: unknown) => (typeof id === 'string' ? id !== '' && toOneLine(id) === id : Number.isSafeInteger(id));
  if (entries.length === 0 || !entries.every(([, id]) => isId(id)))
    throw refuseCommand(
      'did not print valid ids',
      'It must print one JSON object and nothing else: { "world id": "deployment id", … }. An id is a line of text or a whole number.',
    );
  const values = secrets.map(({ value }) => value);
  const created = entries.map(([id, own]) => [id, String(own)] as const);
  // First, since the other messages show an id.
  if (created.flat().some((id) => containsSecret(id, values)))
    throw refuseCommand('printed an id that contains a credential', 'Ids appear in files and reports.');
  const unknown = created.find(([world]) => !things.some(({ id }) => id === world));
  if (unknown !== undefined)
    throw refuseCommand(`printed '${unknown[0]}', which is not an id of the world`, 'Use the ids of its input.');
  return new Map(created);
}

function renderBindings(
  ids: IdMap,
  things: readonly Thing[],
  { yaml, document }: TargetFile,
  refuseCommand: Refuse,
): string {
  const lists = thingKinds.map((kind) => {
    const bound = new Map<string, string>();
    for (const { name, id } of things.filter((thing) => thing.kind === kind && ids.has(thing.id))) {
      const own = ids.get(id) ?? '';
      const [other] = [...bound].find(([, each]) => each === own) ?? [];
      if (other !== undefined)
        throw refuseCommand(
          `printed '${own}' for ${kind} ${other} and for ${kind} ${name}`,
          'Every thing needs its own id.',
        );
      bound.set(name, own);
    }
    return [listNames[kind], Object.fromEntries(bound)] as const;
  });
  const bindings = Object.fromEntries(lists);
  if (document.bindings?.endsWith('.json')) return `${JSON.stringify(bindings, null, 2)}\n`;
  const heading = `# Written by: npx conformance provision --target ${toOneLine(quote(yaml.file))}`;
  return `${heading}\n${stringify(bindings, { lineWidth: 0 })}`;
}
