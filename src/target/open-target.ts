import { type Client, openClient } from '../http/client.js';
import { defaultConnectionOptions, type Endpoint } from '../http/connection-options.js';
import { createTransportChannel, loadTransport, type Transport } from '../http/transport.js';
import type { UnusableInput } from '../support/problem.js';
import { listSecrets, type TargetConnection } from './target-connection.js';

/** A client for a target, or a channel through its transport. */
export interface OpenTarget extends Client {
  /** Why the transport ended the run, if it did: no verdict is valid then. */
  findFailure(): UnusableInput | undefined;
}

/**
 * Opens a target.
 *
 * @param embedded the transport of a program, which gets the credentials themselves; none for that of the target file
 */
export async function openTarget(
  endpoint: Endpoint,
  { options, transport: module }: Pick<TargetConnection, 'options' | 'transport'>,
  embedded?: Transport,
): Promise<OpenTarget> {
  const { baseUrl } = endpoint;
  const secrets = listSecrets({ endpoint, options });
  const client = openClient({ ...options, baseUrl, secrets });
  const transport = embedded ?? (module === undefined ? undefined : await loadTransport(module));
  if (transport === undefined) return { ...client, findFailure: () => undefined };
  const idleMs = options.limits?.timeoutMs ?? defaultConnectionOptions.limits.timeoutMs;
  const { extraHeaders = [] } = options;
  const filled = module === undefined ? { secrets } : { at: { file: module, line: 1, column: 1 } };
  return createTransportChannel(transport, client, { baseUrl, idleMs, extraHeaders, ...filled });
}
