import { referenceCredentials } from '../../../reference/reference-credentials.js';
import { serveReference } from '../../../reference/server.js';
import { loadSuite, suiteFolder } from '../../cases/suite.js';
import { referenceNotice } from '../../certificate/notices.js';
import { noRetry } from '../../http/connection-options.js';
import { createRecognizer } from '../../recognition/recognizer.js';
import { examine, renderFindings } from '../../run/examine.js';
import { joinLines } from '../../support/untrusted-text.js';
import { completeRunOptions } from '../../target/run-options.js';
import { loadTarget } from '../../target/target.js';
import { openTarget } from '../../target/target-run.js';
import { exitStatus } from '../exit-status.js';
import { addTargetFlags, type ConfigureCommand, type TargetFlags } from '../flags.js';

export default ((command, end) => {
  addTargetFlags(command)
    .description('check with a few requests whether a target can be certified')
    .action(async (flags: TargetFlags) => {
      end(await runDoctor(flags));
    });
}) satisfies ConfigureCommand;

async function runDoctor(flags: TargetFlags): Promise<number> {
  const runOptions = completeRunOptions(flags, process.env);
  const { target, connection, availability, notes } = loadTarget(runOptions, process.env);
  const suite = loadSuite(suiteFolder, availability);
  const credentials = referenceCredentials;
  const isReference = connection.endpoint === undefined;
  const reference = isReference ? await serveReference({ world: suite.world, credentials }) : undefined;
  const { endpoint = { baseUrl: reference?.url ?? '', credentials } } = connection;
  const options = { ...connection.options, retry: noRetry };
  const client = await openTarget(endpoint, { ...connection, options });
  const recognizer = createRecognizer(suite.world, target.mentionFilter);
  const { findings } = await examine(suite, client, { ...target, recognizer });
  await client.close();
  await reference?.close();
  const failure = client.findFailure();
  if (failure !== undefined) throw failure;
  const where = isReference ? referenceNotice : `Target ${target.name}: ${endpoint.baseUrl}`;
  process.stdout.write(joinLines([where, ...notes, '']) + renderFindings(findings));
  if (findings.some(({ state }) => state === 'problem')) return exitStatus['does-not-conform'];
  return findings.some(({ state }) => state === 'unknown') ? exitStatus.incomplete : exitStatus.conforms;
}
