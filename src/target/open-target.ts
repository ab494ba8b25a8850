import { openClient } from '../http/client.js';
import { defaultConnectionOptions, type Endpoint } from '../http/connection-options.js';
import { createTransportChannel, loadTransport, type Transport, type TransportChannel } from '../http/transport.js';
import { listSecrets, type TargetConnection } from './connection.js';

/** Opens a target. @param embedded the transport of a program, which gets the credentials themselves */
export async function openTarget(
  endpoint: Endpoint,
  { options, transport: module }: Pick<TargetConnection, 'options' | 'transport'>,
  embedded?: Transport,
): Promise<TransportChannel> {
  const { baseUrl } = endpoint;
  const secrets = listSecrets({ endpoint, options });
  const client = openClient({ ...options, baseUrl, secrets });
  const transport = embedded ?? (module === undefined ? undefined : await loadTransport(module));
  if (transport === undefined) return { ...client, findFailure: () => undefined };
  const idleMs = options.limits?.timeout_ms ?? defaultConnectionOptions.limits.timeout_ms;
  const { extraHeaders = [] } = options;
  const filled = module === undefined ? { secrets } : { at: { file: module, line: 1, column: 1 } };
  return createTransportChannel(transport, client, { baseUrl, idleMs, extraHeaders, ...filled });
}
