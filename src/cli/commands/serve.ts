import { InvalidArgumentError, Option } from 'commander';
import { type Behaviours, completeBehaviours } from '../../../reference/deployment/behaviours.js';
import { referenceCredentials } from '../../../reference/deployment/reference-credentials.js';
import { serveReference } from '../../../reference/deployment/server.js';
import { findFault } from '../../../reference/faults/index.js';
import { credentialHeaders, documentedOperation } from '../../contract/operation.js';
import { type MockOptions, readMockFiles } from '../../mock.js';
import { joinAndEscapeLines } from '../../support/untrusted-text.js';
import type { ConfigureCommand } from '../flags.js';

interface ServeFlags extends Pick<MockOptions, 'data' | 'known'> {
  readonly host?: string;
  readonly port?: number;
  readonly as?: string;
  readonly behaviour?: Behaviours;
  readonly fault?: readonly ReturnType<typeof findFault>[];
}

export default ((command) => {
  command
    .description('start the reference deployment')
    .addOption(new Option('--port <number>', 'where to listen (default: a free port)').argParser(parsePort))
    .option(
      '--host <address>',
      'the address to listen at, such as 0.0.0.0 for other machines (default: this machine only)',
    )
    .option('--data <file>', 'a data file, such as `conformance world` prints (default: the test data of the suite)')
    .option('--as <record>', 'a mock: answer every open question as a record says, in the recorded format')
    .option('--known <file>', 'known deviations: the mock has them, too')
    .option(
      '--behaviour <question=outcome>',
      'answer an open question with this outcome (`conformance list behaviours` prints all); may be repeated',
      collectBehaviours,
    )
    .option(
      '--fault <id>',
      'break a requirement on purpose (`conformance list faults` prints all ids); may be repeated',
      collectFaults,
    )
    .action(runServe);
}) satisfies ConfigureCommand;

function parsePort(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new InvalidArgumentError('It must be a whole number from 0 to 65535.');
}

function collectBehaviours(text: string, before: Behaviours = {}): Behaviours {
  const [question = '', ...outcome] = text.split('=');
  const behaviours = { ...before, [question]: outcome.join('=') };
  check(() => completeBehaviours(behaviours));
  return behaviours;
}

function collectFaults(id: string, before: ServeFlags['fault'] = []): ServeFlags['fault'] {
  return [...before, check(() => findFault(id))];
}

function check<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}

async function runServe({ host, port = 0, data, as, known, behaviour, fault = [] }: ServeFlags): Promise<void> {
  const { options, inimitable } = readMockFiles({ record: as, data, known, behaviours: behaviour });
  const faults = [...(options.faults ?? []), ...fault];
  const { url, close } = await serveReference({ ...options, port, faults, host });
  process.stdout.write(
    joinAndEscapeLines([
      `${as === undefined ? 'The reference deployment' : `The mock of ${as}`} answers at ${url}${documentedOperation.path}. Its credentials are public:`,
      `${credentialHeaders.applicationId}: ${referenceCredentials.applicationId}`,
      `${credentialHeaders.token}: ${referenceCredentials.token}`,
      ...fault.map(({ breaks, story }) => `Breaks ${breaks}: ${story}`),
      ...inimitable.map((question) => `Not imitated, answered as usual: ${question}`),
      'Ctrl-C ends it.',
    ]),
  );
  await new Promise<void>((resolve) => {
    process.once('SIGINT', resolve).once('SIGTERM', resolve).once('SIGHUP', resolve);
  });
  await close();
}
