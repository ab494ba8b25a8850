import { referenceCredentials } from '../../../reference/deployment/reference-credentials.js';
import { serveReference } from '../../../reference/deployment/server.js';
import { openTarget } from '../../certify/open-target.js';
import { startTargetRun } from '../../certify/target-run.js';
import { addReferenceEndpoint, loadRunInputs } from '../../config/run-inputs.js';
import { completeRunOptions, type RunOptions } from '../../config/run-options.js';
import { noRetry } from '../../http/connection-options.js';
import { renderExaminationFindings } from '../../outputs/terminal/findings.js';
import { joinAndEscapeLines } from '../../support/untrusted-text.js';
import { exitStatus } from '../exit-status.js';
import { addTargetFlags, type ConfigureCommand } from '../flags.js';

export default ((command, end) => {
  addTargetFlags(command)
    .description('check with a few requests whether a target can be certified')
    .action(async (flags: RunOptions) => {
      end(await runDoctor(flags));
    });
}) satisfies ConfigureCommand;

async function runDoctor(flags: RunOptions): Promise<number> {
  const loaded = loadRunInputs(completeRunOptions(flags), process.env);
  const { world } = loaded.suite;
  const isReference = loaded.connection.endpoint === undefined;
  const credentials = referenceCredentials;
  const served = isReference ? await serveReference({ world, credentials }) : undefined;
  const inputs = served === undefined ? loaded : addReferenceEndpoint(loaded, { baseUrl: served.url, credentials });
  const { settings, connection } = inputs;
  const channel = await openTarget({ ...connection, options: { ...connection.options, retry: noRetry } });
  const { findings } = (await startTargetRun(inputs, channel)).examination;
  await channel.close();
  await served?.close();
  const failure = channel.findFailure();
  if (failure !== undefined) throw failure;
  const where = isReference ? [] : [`Target ${settings.target.name}: ${settings.target.baseUrl}`];
  const isProblem = ({ state }: (typeof findings)[number]) => state === 'problem';
  const problems = findings.filter(isProblem);
  const isReached = !problems.some(({ area }) => area === 'URL');
  // Wrong test data explains other problems, unless something else than the operation answers.
  const isAboutData = ({ area }: (typeof findings)[number]) => isReached && (area === 'Load' || area === 'Ids');
  const sorted = [...problems.filter(isAboutData), ...problems.filter((problem) => !isAboutData(problem))];
  const render = (found: typeof findings) => renderExaminationFindings(found, settings.target.transport !== undefined);
  process.stdout.write(
    render(sorted) +
      joinAndEscapeLines([...where, ...settings.notes, '']) +
      render(findings.filter((finding) => !isProblem(finding))),
  );
  if (findings.some(isProblem)) return exitStatus['does-not-conform'];
  return findings.some(({ state }) => state === 'unknown') ? exitStatus.incomplete : exitStatus.conforms;
}
