import { type World, windowSize } from '../contract/world.js';
import { createSimilarIdFinder } from './nearness.js';
import { rateMisreadRisk } from './rate-misread-risk.js';
import { createCustomerVariation, type RequestVariation } from './request-variations.js';

/** How many customers get an order, and how many similar customers may send the order of one. */
const [maxCustomers, maxSimilar] = [40, 4];

export interface SelectedCustomers {
  /** Those that get an order. */
  readonly members: readonly string[];
  /** Lists the changes of an order of one customer to that of another one, who may be mistaken for the first or has nothing. */
  readonly listChanges: (customer: string) => readonly RequestVariation[];
}

/** Selects customers: the first and the last of each list of a rule, and one in no list. */
export function selectCustomers({ customers, tiers }: World): SelectedCustomers {
  const ids = customers.map(({ id }) => id);
  const listsOfAll = tiers.map(({ rules }) => rules.flatMap((rule) => (rule.kind === 'customer' ? [rule.any_of] : [])));
  const lists = listsOfAll.slice(0, windowSize).flat();
  // Best is a customer whom older promotions do not name, either.
  const outsider = findUnlisted(ids, listsOfAll.flat()) ?? findUnlisted(ids, lists);
  const ends = lists.flatMap((list) => [...list.slice(0, 1), ...list.slice(-1)]);
  const members = [...new Set([ends, outsider ?? []].flat())]
    .toSorted((id, next) => rateMisreadRisk(next) - rateMisreadRisk(id))
    .slice(0, maxCustomers);
  const findNear = createSimilarIdFinder(ids, members);
  const unreserved =
    outsider === undefined ? [] : [createCustomerVariation('a customer without reservations', outsider)];
  const listSimilar = (customer: string) =>
    findNear(customer)
      .slice(0, maxSimilar)
      .map((id) => createCustomerVariation('a similar customer', id));
  return { members, listChanges: (customer) => [...listSimilar(customer), ...unreserved] };
}

function findUnlisted(ids: readonly string[], lists: readonly (readonly string[])[]): string | undefined {
  const listed = new Set(lists.flat());
  return ids.find((id) => !listed.has(id));
}
