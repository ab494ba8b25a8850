import { isTraffic } from '../certificate/read-traffic.js';
import { findRunFile } from '../outputs/result-files.js';
import { addColors } from '../outputs/terminal/colors.js';
import { omitUndefined } from '../support/collections.js';
import { readInputFile } from '../support/read-input-file.js';
import { joinLines } from '../support/untrusted-text.js';
import { rejudgeRun, replayRun } from '../target/certify-run.js';
import { loadReplay } from '../target/inputs.js';
import { archiveRun, publishRun } from '../target/publish-run.js';
import type { RunOutcome } from '../target/reported-run.js';
import { completeRunOptions } from '../target/run-options.js';
import { loadTraffic } from '../target/traffic.js';
import { type CertifyFlags, readCertifyOptions } from './flags.js';

/** Judges recorded exchanges, of a run or of real callers, without Playwright. @throws UnusableInput */
export async function replayFile(flags: CertifyFlags & { readonly replay: string }): Promise<RunOutcome> {
  const file = findRunFile(flags.replay, 'evidence.har');
  const content = readInputFile(file, 'Name an HTTP Archive, or the evidence.har of a run.');
  const target = flags.target?.[0];
  const options = completeRunOptions({ ...readCertifyOptions(flags), ...omitUndefined({ target }) }, process.env);
  if (!isTraffic(content))
    process.stdout.write(joinLines([`Judges the exchanges of ${flags.replay} again. Nothing is sent.`]));
  const run = isTraffic(content)
    ? await rejudgeRun(...loadTraffic(content, file, options, process.env))
    : await replayRun(...loadReplay(content, file, options));
  const published = publishRun(run, run.suite, run.recorded.settings, archiveRun(run.recorded));
  process.stdout.write(addColors(published.report));
  return { ...published, isUnusable: false };
}
