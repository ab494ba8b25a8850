import { listSecrets, type TargetConnection } from '../config/connection.js';
import { openClient } from '../http/client.js';
import { defaultConnectionOptions } from '../http/connection-options.js';
import { createTransportClient, type Transport, type TransportChannel } from '../http/transport.js';
import { loadTransport } from '../http/transport-module.js';

/** Opens a target. @param embedded the transport of a program, which gets the credentials themselves */
export async function openTarget(connection: TargetConnection, embedded?: Transport): Promise<TransportChannel> {
  const { endpoint, options, transport: module } = connection;
  if (endpoint === undefined) throw new Error('The reference deployment is not started.');
  const { baseUrl } = endpoint;
  const secrets = listSecrets(connection);
  const client = openClient({ ...options, baseUrl, secrets });
  const transport = embedded ?? (module === undefined ? undefined : await loadTransport(module));
  if (transport === undefined) return { ...client, findFailure: () => undefined };
  const idleMs = options.limits?.timeout_ms ?? defaultConnectionOptions.limits.timeout_ms;
  const { extraHeaders = [] } = options;
  const filled = module === undefined ? { secrets } : { at: module };
  return createTransportClient(transport, client, { baseUrl, idleMs, extraHeaders, ...filled });
}
