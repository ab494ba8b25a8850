import { InvalidArgumentError, Option } from 'commander';
import { type Behaviours, behavioursFromOutcomes, settle, shapeQuestions } from '../../../reference/behaviours.js';
import { referenceCredentials } from '../../../reference/credentials.js';
import type { Fault } from '../../../reference/faults/fault.js';
import { faultNamed } from '../../../reference/faults/index.js';
import { emptyWorld } from '../../../reference/manage.js';
import { type ServerOptions, serveReference } from '../../../reference/server.js';
import { worldFlaws } from '../../../reference/whole-world.js';
import { readRecord, type TargetRecord } from '../../report/record.js';
import { asLines } from '../../support/foreign-text.js';
import { UnusableInput } from '../../support/problem.js';
import { checkedValue } from '../../support/schema.js';
import { readYaml } from '../../support/yaml-file.js';
import { thingFlaw } from '../../world/thing-flaw.js';
import type { World } from '../../world/world.js';
import { loadWorld } from '../../world/world-file.js';
import type { ConfigureCommand } from '../command.js';
import { portNumber, refusing } from '../flags.js';
import { mimicking } from '../mimicry.js';

const configure: ConfigureCommand = (command) => {
  command
    .description('starts the reference deployment')
    .addOption(new Option('--port <number>', 'a free one unless given').argParser(portNumber))
    .option('--world <file>', 'a world as JSON, as `conformance world` prints it; that of the suite unless given')
    .option('--as <record>', 'answers every open question as the record says, in the shape that it has recorded')
    .option('--behaviour <question=outcome>', 'answers an open question so; may be repeated', collectBehaviours)
    .option('--empty', 'has nothing in it')
    .option('--manage', 'lets the world be added to: POST /manage/customers and so on, see targets/')
    .option('--fault <id>', 'breaks a requirement on purpose; may be repeated', collectFaults)
    .action(serve);
};

export default configure;

interface ServeFlags {
  readonly port?: number;
  readonly world?: string;
  readonly as?: string;
  readonly behaviour?: Behaviours;
  readonly empty?: boolean;
  readonly manage?: boolean;
  readonly fault?: readonly Fault[];
}

async function serve({ port = 0, world, as, behaviour, empty, manage, fault = [] }: ServeFlags): Promise<void> {
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
    faults: fault,
  });
  process.stdout.write(
    asLines([
      `The reference deployment, whose credentials are public, answers at ${url}/v1/promotions/validation`,
      `X-Client-Application-Id: ${referenceCredentials.applicationId}`,
      `X-Client-Token: ${referenceCredentials.token}`,
      ...fault.map(({ breaks, story }) => `Breaks ${breaks}: ${story}`),
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

function collectBehaviours(text: string, before: Behaviours = {}): Behaviours {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('It has the form QUESTION=OUTCOME.');
  const behaviours = { ...before, [text.slice(0, at)]: text.slice(at + 1) };
  return refusing('--behaviour', () => {
    settle(behaviours);
    return behaviours;
  });
}

function collectFaults(id: string, before: readonly Fault[] = []): Fault[] {
  return refusing('--fault', () => [...before, faultNamed(id)]);
}
