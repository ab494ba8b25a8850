import type { TargetWorld, World } from '../contract/world.js';
import { findSchemaProblems } from '../support/schema-validation.js';
import type { YamlFile } from '../support/yaml-file.js';
import { createFileContext, type NamedRequests } from './case-file-context.js';
import { applyPatch, assembleRequest, documentedRequestDraft, type RequestPatch } from './request-draft.js';

/**
 * Reads complete requests with names. With problems, they cannot be used.
 *
 * @param known requests that the file adds to
 */
export function readNamedRequests(file: YamlFile, world: TargetWorld, known: NamedRequests = new Map()) {
  const problems = findSchemaProblems('requests', file);
  if (problems.length > 0) return { namedRequests: known, problems };
  const context = createFileContext(file, world);
  const { requests } = file.value as { readonly requests: Readonly<Record<string, RequestPatch>> };
  const added = Object.entries(requests).map(([name, stated]) => {
    const draft = applyPatch(documentedRequestDraft, stated);
    if (known.has(name)) {
      const at = file.locateKey(['requests', name]);
      context.problems.push({ at, message: `the suite has a request '${name}' already`, hint: 'Use another name.' });
    }
    // Reports names that the test data does not have.
    assembleRequest(draft, context.resolveId);
    return [name, draft] as const;
  });
  return { namedRequests: new Map([...known, ...added]) as NamedRequests, problems: context.problems };
}

/** The request that the suite has for a data file, whose customers and products only that file knows. */
const requestOnData = 'first-customer-with-first-product';

/** Creates the request from which cases about a data file start: its first customer orders one of its first product. */
export function createRequestsOnData({ customers: [customer], products: [product] }: World): NamedRequests {
  const items = product === undefined ? [] : [{ product_id: product.id, quantity: 1 }];
  const body = {
    order: { items, metadata: {} },
    options: {},
    metadata: {},
    ...(customer && { customer: { id: customer.id } }),
  };
  return new Map([[requestOnData, applyPatch(documentedRequestDraft, { body })]]);
}
