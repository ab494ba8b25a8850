import { type Behaviours, behavioursFromOutcomes, settle, shapeQuestions } from '../../reference/behaviours.js';
import { referenceCredentials } from '../../reference/credentials.js';
import { faultNamed } from '../../reference/faults/index.js';
import { emptyWorld } from '../../reference/manage.js';
import { type ServerOptions, serveReference } from '../../reference/server.js';
import { worldFlaws } from '../../reference/whole-world.js';
import { readRecord, type TargetRecord } from '../report/record.js';
import { asLines } from '../support/foreign-text.js';
import { UnusableInput } from '../support/problem.js';
import { checkedValue } from '../support/schema.js';
import { readYaml } from '../support/yaml-file.js';
import { thingFlaw } from '../world/thing-flaw.js';
import type { World } from '../world/world.js';
import { loadWorld } from '../world/world-file.js';
import { refusing } from './flags.js';
import { mimicking } from './mimicry.js';

/** What the flags of the command say. */
export interface ServeFlags {
  readonly port?: number;
  readonly world?: string;
  readonly as?: string;
  /** Outcomes by question. */
  readonly behaviour?: Behaviours;
  readonly empty?: boolean;
  readonly manage?: boolean;
  /** Ids. */
  readonly fault?: readonly string[];
}

/** Serves the reference deployment until somebody ends it. @throws UnusableInput where flags or files cannot be used */
export async function serve({ port = 0, world, as, behaviour, empty, manage, fault = [] }: ServeFlags): Promise<void> {
  refusing('--behaviour', () => settle(behaviour ?? {}));
  const faults = refusing('--fault', () => fault.map(faultNamed));
  const { behaviours, inimitable, answers } =
    as === undefined ? { behaviours: {}, inimitable: [], answers: undefined } : mockOf(as);
  const served = empty ? emptyWorld : world === undefined ? loadWorld() : readWorld(world);
  const { url, close } = await listening(port, {
    port,
    world: served,
    ...(answers === undefined ? {} : { change: mimicking(answers, served) }),
    ...(manage ? { manage: thingFlaw } : {}),
    credentials: referenceCredentials,
    behaviours: { ...behaviours, ...behaviour },
    faults,
  });
  process.stdout.write(
    asLines([
      `The reference deployment, whose credentials are public, answers at ${url}/v1/promotions/validation`,
      `X-Client-Application-Id: ${referenceCredentials.applicationId}`,
      `X-Client-Token: ${referenceCredentials.token}`,
      ...faults.map(({ breaks, story }) => `Breaks ${breaks}: ${story}`),
      ...inimitable.map((question) => `Cannot be imitated, so answered as usual: ${question}`),
      'End it with Ctrl-C.',
    ]),
  );
  await new Promise<void>((resolve) => {
    process.once('SIGINT', resolve).once('SIGTERM', resolve).once('SIGHUP', resolve);
  });
  await close();
}

/** @throws UnusableInput where the port cannot be had */
async function listening(port: number, options: ServerOptions): ReturnType<typeof serveReference> {
  try {
    return await serveReference(options);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EADDRINUSE' && code !== 'EACCES') throw error;
    const message =
      code === 'EADDRINUSE' ? `${port} is in use` : `${port} needs rights that this process does not have`;
    throw new UnusableInput([
      { at: { setting: '--port' }, message, hint: 'Name another, or leave it out for a free one.' },
    ]);
  }
}

/** @param file a record */
function mockOf(file: string): ReturnType<typeof behavioursFromOutcomes> & Pick<TargetRecord, 'answers'> {
  const { questions, answers } = readRecord(file);
  const outcomes = Object.entries(questions).map(([id, { outcome }]) => [id, outcome]);
  const { behaviours, inimitable } = behavioursFromOutcomes(Object.fromEntries(outcomes));
  if (answers === undefined) return { behaviours, inimitable };
  // These follow from the templates.
  const isImitated = (id: string) =>
    (id === shapeQuestions.list && answers.list !== undefined) ||
    (id === shapeQuestions.error && answers.error !== undefined);
  return { behaviours, inimitable: inimitable.filter((id) => !isImitated(id)), answers };
}

/** @throws UnusableInput with all that keeps the world from being whole */
function readWorld(file: string): World {
  const yaml = readYaml(file, file);
  const world = checkedValue('expanded-world', yaml) as World;
  const flaws = worldFlaws(world);
  const hint = 'conformance world prints one that is whole.';
  if (flaws.length > 0) throw new UnusableInput(flaws.map((message) => ({ at: yaml.at([]), message, hint })));
  return world;
}
