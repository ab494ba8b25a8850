import {
  type Behaviours,
  completeBehaviours,
  convertOutcomesToBehaviours,
  shapeQuestions,
} from '../../reference/behaviours.js';
import { findFault } from '../../reference/faults/index.js';
import { referenceCredentials } from '../../reference/reference-credentials.js';
import { type ServerOptions, serveReference } from '../../reference/server.js';
import { findWorldFlaws } from '../../reference/world-flaws.js';
import { credentialHeaders, documentedOperation } from '../contract/operation.js';
import { readRecord, type TargetRecord } from '../report/target-record.js';
import { UnusableInput } from '../support/problem.js';
import { validateFile } from '../support/schema-validation.js';
import { joinLines } from '../support/untrusted-text.js';
import { readYaml } from '../support/yaml-file.js';
import { findThingProblem } from '../world/find-thing-problem.js';
import type { World } from '../world/world.js';
import { loadWorld } from '../world/world-file.js';
import { blameFlag } from './flags.js';
import { mockFromRecord } from './mock-from-record.js';

/** The values of the flags. */
export interface ServeFlags {
  readonly port?: number;
  readonly world?: string;
  readonly as?: string;
  /** Outcomes by question. */
  readonly behaviour?: Behaviours;
  readonly manage?: boolean;
  /** The ids of faults. */
  readonly fault?: readonly string[];
}

/** Serves the reference deployment until a signal ends it. @throws UnusableInput for unusable flags and files */
export async function runServe({ port = 0, world, as, behaviour, manage, fault = [] }: ServeFlags): Promise<void> {
  blameFlag('--behaviour', () => completeBehaviours(behaviour ?? {}));
  const faults = blameFlag('--fault', () => fault.map(findFault));
  const { behaviours, inimitable, answers } =
    as === undefined ? { behaviours: {}, inimitable: [], answers: undefined } : readMock(as);
  const served = world === undefined ? loadWorld() : readWorld(world);
  const { url, close } = await startServer(port, {
    port,
    world: served,
    ...(answers === undefined ? {} : { change: mockFromRecord(answers, served) }),
    ...(manage ? { manage: findThingProblem } : {}),
    credentials: referenceCredentials,
    behaviours: { ...behaviours, ...behaviour },
    faults,
  });
  process.stdout.write(
    joinLines([
      `The reference deployment answers at ${url}${documentedOperation.path}. Its credentials are public:`,
      `${credentialHeaders.applicationId}: ${referenceCredentials.applicationId}`,
      `${credentialHeaders.token}: ${referenceCredentials.token}`,
      ...faults.map(({ breaks, story }) => `Breaks ${breaks}: ${story}`),
      ...inimitable.map((question) => `Not imitated, answered as usual: ${question}`),
      'Ctrl-C ends it.',
    ]),
  );
  await new Promise<void>((resolve) => {
    process.once('SIGINT', resolve).once('SIGTERM', resolve).once('SIGHUP', resolve);
  });
  await close();
}

/** @throws UnusableInput if the port cannot be used */
async function startServer(port: number, options: ServerOptions): ReturnType<typeof serveReference> {
  try {
    return await serveReference(options);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EADDRINUSE' && code !== 'EACCES') throw error;
    const message = code === 'EADDRINUSE' ? `port ${port} is in use` : `this process may not use port ${port}`;
    const hint = 'Name another port, or leave out the flag for a free one.';
    throw new UnusableInput([{ at: { setting: '--port' }, message, hint }]);
  }
}

/** @param file a record */
function readMock(file: string): ReturnType<typeof convertOutcomesToBehaviours> & Pick<TargetRecord, 'answers'> {
  const { questions, answers } = readRecord(file);
  const outcomes = Object.entries(questions).map(([id, { outcome }]) => [id, outcome]);
  const { behaviours, inimitable } = convertOutcomesToBehaviours(Object.fromEntries(outcomes));
  if (answers === undefined) return { behaviours, inimitable };
  // The templates answer these questions.
  const isImitated = (id: string) =>
    (id === shapeQuestions.list && answers.list !== undefined) ||
    (id === shapeQuestions.error && answers.error !== undefined);
  return { behaviours, inimitable: inimitable.filter((id) => !isImitated(id)), answers };
}

/** @throws UnusableInput with all problems of the world */
function readWorld(file: string): World {
  const yaml = readYaml(file, file);
  const world = validateFile('expanded-world', yaml) as World;
  const flaws = findWorldFlaws(world);
  const hint = '`conformance world` prints a complete one.';
  if (flaws.length > 0) throw new UnusableInput(flaws.map((message) => ({ at: yaml.locate([]), message, hint })));
  return world;
}
