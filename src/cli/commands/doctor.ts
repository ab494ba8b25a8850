import { referenceCredentials } from '../../../reference/reference-credentials.js';
import { serveReference } from '../../../reference/server.js';
import { referenceEndNotice } from '../../certificate/notices.js';
import { noRetry } from '../../http/connection-options.js';
import { renderFindings } from '../../run/examine.js';
import { joinLines } from '../../support/untrusted-text.js';
import { completeRunOptions } from '../../target/run-options.js';
import { loadInputs } from '../../target/settings.js';
import { openTargetRun } from '../../target/target-run.js';
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
  const { suite, settings, connection } = loadInputs(completeRunOptions(flags), process.env);
  const isReference = connection.endpoint === undefined;
  const credentials = referenceCredentials;
  const served = isReference ? await serveReference({ world: suite.world, credentials }) : undefined;
  const reference = { baseUrl: served?.url ?? '', credentials };
  const patient = { ...connection, options: { ...connection.options, retry: noRetry } };
  const inputs = { suite, settings, connection: patient };
  const { channel, examination, baseUrl } = await openTargetRun(inputs, { reference, plannedCases: [], suffix: '' });
  await channel.close();
  await served?.close();
  const failure = channel.findFailure();
  if (failure !== undefined) throw failure;
  const { findings } = examination;
  const where = isReference ? [] : [`Target ${settings.target.name}: ${baseUrl}`];
  process.stdout.write(
    joinLines([...where, ...settings.notes, '']) +
      renderFindings(findings) +
      joinLines(isReference ? ['', referenceEndNotice] : []),
  );
  if (findings.some(({ state }) => state === 'problem')) return exitStatus['does-not-conform'];
  return findings.some(({ state }) => state === 'unknown') ? exitStatus.incomplete : exitStatus.conforms;
}
