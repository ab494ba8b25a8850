import type { EquivalentRequestForm } from '../cases/equivalent-request-forms.js';
import { assembleRequest, documentedRequestDraft, removeMember } from '../cases/request-draft.js';
import { audienceParameter, type FilterSubject, renderFilterParameter } from '../contract/operation.js';
import type { ItemRule } from '../contract/world.js';
import type { HttpRequest } from '../http/exchange.js';

/** A drawn request in parts, before it is written as HTTP. Lists of entries, because a data file may have any key, `__proto__` too. */
export interface DrawnRequestDraft {
  readonly customer: string;
  readonly items: readonly DraftItem[];
  readonly orderMetadata: readonly MetadataEntry<readonly string[]>[];
  readonly metadata: readonly MetadataEntry<string>[];
  readonly expand?: boolean;
  readonly filters?: readonly FilterDraft[];
  /** Where `audienceRulesOnly` is sent: before or after the filters. */
  readonly audienceRulesOnly?: 'first' | 'last';
  /** A member that is left out, such as `order.metadata`. */
  readonly without?: string;
  readonly sent?: readonly EquivalentRequestForm[];
  /** Makes this request another one than an equal one: both are sent. */
  readonly again?: number;
}

export type MetadataEntry<Value> = readonly [key: string, value: Value];

export interface DraftItem extends Pick<ItemRule, 'kind' | 'id'> {
  readonly quantity: number;
}

export interface FilterDraft {
  readonly subject: FilterSubject;
  readonly value: string;
  /** The value of the data that it is nearly the same as. */
  readonly nearTo?: string;
}

export function assembleDrawnRequest(parts: DrawnRequestDraft): HttpRequest {
  const { customer, items, orderMetadata, metadata, expand, filters = [], audienceRulesOnly } = parts;
  const { without, sent = [], again } = parts;
  const query = filters.map(({ subject, value }) => [renderFilterParameter(subject), value] as const);
  const audience = audienceRulesOnly === undefined ? [] : [[audienceParameter, 'true'] as const];
  const whole = {
    customer: { id: customer },
    order: {
      items: items.map(({ kind, id, quantity }) => ({ [`${kind}_id`]: id, quantity })),
      metadata: Object.fromEntries(orderMetadata),
    },
    options: expand ? { expand: ['category'] } : {},
    metadata: Object.fromEntries(metadata),
  };
  const parameters = audienceRulesOnly === 'first' ? [...audience, ...query] : [...query, ...audience];
  const body = without === undefined ? whole : removeMember(whole, without.split('.'));
  const changes = { query: Object.fromEntries(parameters), body, sent, again };
  // Data may contain what a case file would write for a reference.
  return assembleRequest({ ...documentedRequestDraft, ...changes }, (kind, name) => `<${kind} ${name}>`);
}
