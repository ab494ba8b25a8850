import { type Behaviours, completeBehaviours } from '../../reference/behaviours.js';
import { findFault } from '../../reference/faults/index.js';
import { referenceCredentials } from '../../reference/reference-credentials.js';
import { type ServerOptions, serveReference } from '../../reference/server.js';
import { credentialHeaders, documentedOperation } from '../contract/operation.js';
import { readMockOptions } from '../mock-options.js';
import { omitUndefined } from '../support/omit-undefined.js';
import { UnusableInput } from '../support/problem.js';
import { getToday } from '../support/today.js';
import { joinLines } from '../support/untrusted-text.js';
import { findThingProblem } from '../world/find-thing-problem.js';
import { blameFlag } from './flags.js';

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
  const { url, close } = await startServer(port, { ...options, ...managed, port, faults });
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
