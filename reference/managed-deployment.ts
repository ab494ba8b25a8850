import { randomUUID } from 'node:crypto';
import type { HttpResponse } from '../src/http/exchange.js';
import type { World } from '../src/world/world.js';
import { areCredentialsValid, readCredentials } from './authentication.js';
import { createDeployment, type Deployment, type DeploymentOptions } from './deployment.js';
import { isObject, type Members } from './json.js';
import { collectIds, findUnknownReferences, type WorldList, worldLists } from './world-flaws.js';

/** What is wrong with a thing that is to be in a list of a world, if anything: in a sentence. */
export type FlawFinder = (list: WorldList, thing: Members) => string | undefined;

/** A world without anything in it. */
export const emptyWorld: World = { customers: [], products: [], skus: [], categories: [], campaigns: [], tiers: [] };

/**
 * A deployment with a small management API: POST /manage/customers, /products, /skus, /categories, /campaigns and
 * /tiers create one thing each, from the members that it has in a world, with the deployment's own credentials. The
 * deployment gives each an id of its own and answers 201 with it. A tier is newer than all that were there before it.
 * What is not whole is answered 400: every later answer would rest on it.
 *
 * @param flawOf says what is wrong with a thing as the world would list it, if anything
 */
export function createManagedDeployment(options: DeploymentOptions, flawOf: FlawFinder): Deployment {
  let world = options.world;
  let respond = createDeployment(options);

  const create = (list: WorldList, body: string): HttpResponse => {
    const thing = parsed(body);
    if (thing === undefined) return reply(400, { error: 'The body is no JSON object.' });
    const id = `${list}-${randomUUID()}`;
    const newest = Math.max(...world.tiers.map(({ created_at }) => Date.parse(created_at)), 0);
    const made = {
      ...thing,
      id,
      ...(list === 'tiers' ? { created_at: new Date(Math.max(Date.now(), newest + 1)).toISOString() } : {}),
    };
    const flaw = flawOf(list, made);
    if (flaw !== undefined) return reply(400, { error: `It is not whole. ${flaw}` });
    const unknown = findUnknownReferences(list, made, collectIds(world));
    if (unknown.length > 0) return reply(400, { error: `There is no such thing: ${unknown.join(', ')}.` });
    // Newest first, as a world lists tiers.
    world = { ...world, [list]: [made, ...world[list]] };
    respond = createDeployment({ ...options, world });
    return reply(201, { id });
  };

  return (request) => {
    const [, list] = /^\/manage\/([a-z]+)$/.exec(request.path) ?? [];
    if (list === undefined) return respond(request);
    if (!isList(list)) return reply(404, { error: `There are no ${list}.` });
    if (request.method !== 'POST') return reply(405, { error: 'Only POST is known here.' });
    if (!areCredentialsValid(readCredentials(request.headers), options.credentials))
      return reply(401, { error: 'The credentials are wrong.' });
    return create(list, request.body ?? '');
  };
}

function isList(list: string): list is WorldList {
  return (worldLists as readonly string[]).includes(list);
}

function parsed(body: string): Members | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function reply(status: number, body: object): HttpResponse {
  return { status, headers: [['content-type', 'application/json']], body: JSON.stringify(body) };
}
