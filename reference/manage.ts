import { randomUUID } from 'node:crypto';
import type { HttpResponse } from '../src/http/exchange.js';
import type { World } from '../src/world/world.js';
import { sentCredentials } from './authentication.js';
import { createDeployment, type Deployment, type DeploymentOptions } from './deployment.js';
import { isObject, type Members } from './json.js';

/** What can be created, by the last step of the path. */
const creatable = ['customers', 'products', 'skus', 'categories', 'campaigns', 'tiers'] as const;
type Creatable = (typeof creatable)[number];

/** What a new thing refers to: members with the id, or the ids, of things that must be there. */
const references: Readonly<Partial<Record<Creatable, Readonly<Record<string, Creatable>>>>> = {
  skus: { product_id: 'products' },
  campaigns: { category_ids: 'categories' },
  tiers: { campaign_id: 'campaigns' },
};

/** A world without anything in it. */
export const emptyWorld: World = { customers: [], products: [], skus: [], categories: [], campaigns: [], tiers: [] };

/**
 * A deployment with a small management API: POST /manage/customers, /products, /skus, /categories, /campaigns and
 * /tiers create one thing each, from the members that it has in a world, with the deployment's own credentials. The
 * deployment gives each an id of its own and answers 201 with it. A tier is newer than all that were there before it.
 */
export function createManaged(options: DeploymentOptions): Deployment {
  let world = options.world;
  let respond = createDeployment(options);

  const create = (list: Creatable, body: string): HttpResponse => {
    const thing = parsed(body);
    if (thing === undefined) return reply(400, { error: 'The body is no JSON object.' });
    const flaw = flawOf(list, thing, world);
    if (flaw !== undefined) return reply(400, { error: flaw });
    const id = `${list}-${randomUUID()}`;
    const newest = Math.max(...world.tiers.map(({ created_at }) => Date.parse(created_at)), 0);
    const made = {
      ...thing,
      id,
      ...(list === 'tiers' ? { created_at: new Date(Math.max(Date.now(), newest + 1)).toISOString() } : {}),
    };
    // Newest first, as a world lists tiers.
    world = { ...world, [list]: [made, ...world[list]] };
    respond = createDeployment({ ...options, world });
    return reply(201, { id });
  };

  return (request) => {
    const [, list] = /^\/manage\/([a-z]+)$/.exec(request.path) ?? [];
    if (list === undefined) return respond(request);
    if (!isCreatable(list)) return reply(404, { error: `There are no ${list}.` });
    if (request.method !== 'POST') return reply(405, { error: 'Only POST is known here.' });
    const { applicationId, token } = sentCredentials(request.headers);
    const isKnown = applicationId === options.credentials.applicationId && token === options.credentials.token;
    return isKnown ? create(list, request.body ?? '') : reply(401, { error: 'The credentials are wrong.' });
  };
}

function isCreatable(list: string): list is Creatable {
  return (creatable as readonly string[]).includes(list);
}

function parsed(body: string): Members | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What is wrong with a new thing, if anything: only that which would keep the deployment from working. */
function flawOf(list: Creatable, thing: Members, world: World): string | undefined {
  const unknown = Object.entries(references[list] ?? {}).flatMap(([member, kind]) => {
    const there = new Set<unknown>(world[kind].map(({ id }) => id));
    return [thing[member]]
      .flat()
      .filter((id) => !there.has(id))
      .map((id) => `${member} '${String(id)}'`);
  });
  if (unknown.length > 0) return `There is no such thing: ${unknown.join(', ')}.`;
  const isWhole = list !== 'tiers' || (isObject(thing.metadata) && Array.isArray(thing.rules));
  return isWhole ? undefined : 'A tier has metadata and rules.';
}

function reply(status: number, body: object): HttpResponse {
  return { status, headers: [['content-type', 'application/json']], body: JSON.stringify(body) };
}
