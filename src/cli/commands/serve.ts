import { InvalidArgumentError, Option } from 'commander';
import { type Behaviours, completeBehaviours } from '../../../reference/behaviours.js';
import { findFault } from '../../../reference/faults/index.js';
import { referenceCredentials } from '../../../reference/reference-credentials.js';
import { serveReference } from '../../../reference/server.js';
import { credentialHeaders, documentedOperation } from '../../contract/operation.js';
import { readMockOptions } from '../../mock.js';
import { omitUndefined } from '../../support/collections.js';
import { UnusableInput } from '../../support/problem.js';
import { joinLines } from '../../support/untrusted-text.js';
import { type ConfigureCommand, collectValue, parseCount } from '../flags.js';

interface ServeFlags {
  readonly host?: string;
  readonly port?: number;
  readonly data?: string;
  readonly as?: string;
  readonly known?: string;
  readonly behaviour?: Behaviours;
  readonly fault?: readonly string[];
}

export default ((command) => {
  command
    .description('start the reference deployment')
    .addOption(new Option('--port <number>', 'default: a free one').argParser(parseCount))
    .option('--host <address>', 'where to listen, such as 0.0.0.0 for other machines (default: this machine only)')
    .option('--data <file>', 'a data file, such as `conformance world` prints (default: the test data of the suite)')
    .option('--as <record>', 'a mock: answer every open question as a record says, in the recorded format')
    .option('--known <file>', 'known deviations: the mock has them, too')
    .option(
      '--behaviour <question=outcome>',
      'answer an open question with this outcome; may be repeated',
      collectBehaviours,
    )
    .option('--fault <id>', 'break a requirement on purpose; may be repeated', collectValue)
    .action(runServe);
}) satisfies ConfigureCommand;

function collectBehaviours(text: string, before: Behaviours = {}): Behaviours {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('Write it as QUESTION=OUTCOME.');
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
}

async function runServe({ host, port = 0, data, as, known, behaviour, fault = [] }: ServeFlags): Promise<void> {
  blameFlag('--behaviour', () => completeBehaviours(behaviour ?? {}));
  const chosen = blameFlag('--fault', () => fault.map(findFault));
  const { options, inimitable } = readMockOptions(omitUndefined({ record: as, data, known, behaviours: behaviour }));
  const faults = [...(options.faults ?? []), ...chosen];
  const { url, close } = await serveReference({ ...options, port, faults, ...omitUndefined({ host }) });
  process.stdout.write(
    joinLines([
      `${as === undefined ? 'The reference deployment' : `The mock of ${as}`} answers at ${url}${documentedOperation.path}. Its credentials are public:`,
      `${credentialHeaders.applicationId}: ${referenceCredentials.applicationId}`,
      `${credentialHeaders.token}: ${referenceCredentials.token}`,
      ...chosen.map(({ breaks, story }) => `Breaks ${breaks}: ${story}`),
      ...inimitable.map((question) => `Not imitated, answered as usual: ${question}`),
      'Ctrl-C ends it.',
    ]),
  );
  await new Promise<void>((resolve) => {
    process.once('SIGINT', resolve).once('SIGTERM', resolve).once('SIGHUP', resolve);
  });
  await close();
}

function blameFlag<T>(flag: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new UnusableInput([{ at: { setting: flag }, message: (error as Error).message }]);
  }
}
