import {
  applyPatch,
  assembleRequest,
  documentedRequestDraft,
  type RequestPatch,
} from '../../src/cases/request-draft.js';
import type { EntityKind, TargetWorld } from '../../src/contract/world.js';
import type { HttpRequest } from '../../src/http/exchange.js';

const plain: RequestPatch = {
  body: {
    customer: { id: '<customer ordinary>' },
    order: { items: [{ product_id: '<product mug>', quantity: 1 }], metadata: {} },
    options: {},
    metadata: {},
  },
};

/** Creates a documented request of an ordinary customer with one mug. Patches change it, as in a case file. */
export function createPatchedRequest({ ids }: TargetWorld, ...patches: readonly RequestPatch[]): HttpRequest {
  return assembleRequest(
    [plain, ...patches].reduce(applyPatch, documentedRequestDraft),
    (kind, name) => ids[kind as EntityKind].get(name) as string,
  );
}
