import { createEvidenceKeeper } from '../engine/evidence-keeper.js';
import type { Endpoint } from '../http/connection-options.js';
import { openTarget } from '../targets/open-target.js';
import { createRunReplay, readRecordedRun } from '../targets/recorded-run.js';
import { loadTarget } from '../targets/target.js';
import { type RunInputs, readRunOptions } from './run-inputs.js';
import type { Session } from './session.js';

/**
 * Opens what answers the requests of a run: a target, or the evidence of an earlier run.
 *
 * @param reference the endpoint of the reference deployment, which is used if no other is named
 * @param session a process before this one counted requests and kept exchanges
 * @returns with `redact`, which replaces secrets of the target in a text, and `findFailure`, which says why the adapter of
 *   the target cannot be used, if so: no verdict is valid then
 */
export function openRunTarget(
  { suite, settings, replay }: RunInputs,
  reference: Endpoint,
  { requestBudget, evidence }: Partial<Pick<Session, 'requestBudget' | 'evidence'>> = {},
  runOptions = readRunOptions(),
) {
  if (replay !== undefined) {
    const run = readRecordedRun(replay);
    const recorded = createRunReplay({ evidence: run.evidence, target: settings.target }, suite);
    // Evidence is redacted already.
    const redact = (text: string) => text;
    return {
      channel: recorded.createChannel(''),
      baseUrl: run.origin.baseUrl,
      redact,
      options: { replay: recorded, keeper: createEvidenceKeeper(redact, evidence) },
      findFailure: () => undefined,
      close: async () => undefined,
    };
  }
  const { endpoint = reference, options } = loadTarget(runOptions, process.env).connection;
  const client = openTarget(settings.target, endpoint, options, requestBudget);
  const { redactSecrets: redact, findFailure, close } = client;
  const keeper = createEvidenceKeeper(redact, evidence);
  return { channel: client, baseUrl: endpoint.baseUrl, redact, options: { keeper }, findFailure, close };
}
