import { referenceCredentials } from '../../reference/reference-credentials.js';
import type { World } from '../contract/world.js';
import type { Endpoint } from '../http/connection-options.js';
import { createEvidenceKeeper } from '../run/evidence-keeper.js';
import { openTarget } from '../target/open-target.js';
import { createRunReplay, type RunInputs, readRecordedRun } from '../target/recorded-run.js';
import { loadTarget } from '../target/target.js';
import { readRunOptions } from './run-inputs.js';
import type { Session } from './session.js';

/** Starts the reference deployment if it is the target. Its module is loaded only then. */
export async function serveReferenceIf(
  isTarget: boolean,
  world: World,
): Promise<{ endpoint: Endpoint; close(): Promise<void> }> {
  const credentials = referenceCredentials;
  if (!isTarget) return { endpoint: { baseUrl: '', credentials }, close: async () => undefined };
  const { serveReference } = await import('../../reference/server.js');
  const { url, close } = await serveReference({ world, credentials });
  return { endpoint: { baseUrl: url, credentials }, close };
}

/**
 * Opens what answers the requests of a run: a target, or the evidence of an earlier run.
 *
 * @param reference the endpoint of the reference deployment, which is used if no other is named
 * @param session a process before this one counted requests and kept exchanges
 * @returns with `redact`, which replaces secrets of the target in a text; `close` throws if the adapter failed
 */
export function openRunTarget(
  { suite, settings, replay }: RunInputs,
  reference: Endpoint,
  { requestBudget, evidence }: Partial<Pick<Session, 'requestBudget' | 'evidence'>>,
) {
  if (replay !== undefined) {
    const run = readRecordedRun(replay);
    const recorded = createRunReplay(run.evidence, settings.target, suite);
    // Evidence is redacted already.
    const redact = (text: string) => text;
    return {
      channel: recorded.createChannel(''),
      baseUrl: run.origin.baseUrl,
      redact,
      options: { replay: recorded, keeper: createEvidenceKeeper(redact, evidence) },
      close: async () => undefined,
    };
  }
  const { endpoint = reference, options } = loadTarget(readRunOptions(), process.env).connection;
  const client = openTarget(settings.target, endpoint, options, requestBudget);
  const { redactSecrets: redact, close } = client;
  const keeper = createEvidenceKeeper(redact, evidence);
  return { channel: client, baseUrl: endpoint.baseUrl, redact, options: { keeper }, close };
}
