import { createDeployment } from '../../reference/deployment.js';
import type { HttpRequest, HttpResponse } from '../../src/http/exchange.js';
import { suite } from '../../test/support/in-process.js';
import { createIndependentDeployment } from '../../test/support/independent-deployment.js';
import { benchCredentials } from './measure-cost.js';

const { world } = suite;

export const reference = createDeployment({ world, credentials: benchCredentials });

export const conforming = createIndependentDeployment(world);

/** A deployment on which nearly everything fails. */
export const failing = (request: HttpRequest): HttpResponse => ({ ...conforming(request), body: everything });
const everything = JSON.stringify({ data: world.tiers.map(({ id }) => ({ id })) });

/** A conforming deployment with records of 14 KB, whose runs need much memory. */
export const heavy = (request: HttpRequest): HttpResponse => {
  const response = conforming(request);
  if (response.status !== 200) return response;
  const padded = (key: string, value: unknown) =>
    typeof value === 'object' && value !== null && 'id' in value && key !== '' ? { ...value, padding } : value;
  return { ...response, body: JSON.stringify(JSON.parse(response.body), padded) };
};
const padding = 'x'.repeat(13_700);
