/**
 * The parts of undici that a client of this machine needs. Its main module loads 111 modules, most of them for `fetch`, caches and mocks,
 * which takes 80 to 110 ms in each process of a run; these parts take 30 ms. Their paths are not part of undici's
 * interface, so package.json allows only its patch releases.
 */

import type { Agent, buildConnector, Dispatcher, Pool } from 'undici';
import { requireLazily } from '../support/require-lazily.js';

export const loadAgent = requireLazily<typeof Agent>('undici/lib/dispatcher/agent.js');
export const loadPool = requireLazily<typeof Pool>('undici/lib/dispatcher/pool.js');
export const loadConnector = requireLazily<typeof buildConnector>('undici/lib/core/connect.js');
/** All of undici: its agent for proxies needs methods that only the main module adds. */
export const loadUndici = requireLazily<typeof import('undici')>('undici');
const loadRequest = requireLazily<Dispatcher['request']>('undici/lib/api/api-request.js');

/** Sends a request as `dispatcher.request` does: only the main module adds that method. */
export function sendRequest(
  dispatcher: Dispatcher,
  options: Dispatcher.RequestOptions,
): Promise<Dispatcher.ResponseData<unknown>> {
  return loadRequest().call(dispatcher, options);
}
