import { type Behaviours, completeBehaviours } from '../../reference/behaviours.js';
import { findFault } from '../../reference/faults/index.js';
import { referenceCredentials } from '../../reference/reference-credentials.js';
import { serveReference } from '../../reference/server.js';
import { credentialHeaders, documentedOperation } from '../contract/operation.js';
import { readMockOptions } from '../mock-options.js';
import { omitUndefined } from '../support/omit-undefined.js';
import { UnusableInput } from '../support/problem.js';
import { getToday } from '../support/today.js';
import { joinLines } from '../support/untrusted-text.js';
import { findThingProblem } from '../world/find-thing-problem.js';

export interface ServeFlags {
  readonly port?: number;
  readonly world?: string;
  readonly as?: string;
  readonly behaviour?: Behaviours;
  readonly manage?: boolean;
  readonly fault?: readonly string[];
}

/** Serves the reference deployment until a signal ends it. @throws UnusableInput for unusable flags and files */
export async function runServe({ port = 0, world, as, behaviour, manage, fault = [] }: ServeFlags): Promise<void> {
  blameFlag('--behaviour', () => completeBehaviours(behaviour ?? {}));
  const faults = blameFlag('--fault', () => fault.map(findFault));
  const { options, inimitable, until } = readMockOptions(omitUndefined({ record: as, world, behaviours: behaviour }));
  const managed = manage ? { manage: findThingProblem } : {};
  const { url, close } = await serveReference({ ...options, ...managed, port, faults });
  process.stdout.write(
    joinLines([
      `${as === undefined ? 'The reference deployment' : `The mock of ${as}`} answers at ${url}${documentedOperation.path}. Its credentials are public:`,
      `${credentialHeaders.applicationId}: ${referenceCredentials.applicationId}`,
      `${credentialHeaders.token}: ${referenceCredentials.token}`,
      ...faults.map(({ breaks, story }) => `Breaks ${breaks}: ${story}`),
      ...inimitable.map((question) => `Not imitated, answered as usual: ${question}`),
      ...(until !== undefined && until < getToday()
        ? [`The record was valid until ${until}: record the target again.`]
        : []),
      'Ctrl-C ends it.',
    ]),
  );
  await new Promise<void>((resolve) => {
    process.once('SIGINT', resolve).once('SIGTERM', resolve).once('SIGHUP', resolve);
  });
  await close();
}

/** Names a flag in the errors that its value causes. @throws UnusableInput */
function blameFlag<T>(flag: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new UnusableInput([{ at: { setting: flag }, message: (error as Error).message }]);
  }
}
