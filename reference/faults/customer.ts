import { refuse } from '../early-response.js';
import type { Handlers } from '../handlers.js';
import { createCacheChange, type Fault, isReservedForSome, unlessWaived } from './fault.js';

/** Who the customer is, and what is reserved for whom. */
export const customerFaults: readonly Fault[] = [
  {
    id: 'customer-ignored',
    breaks: 'customer.by-id',
    story: 'Rules about customers are loaded but never checked.',
    change: () => ({ customerRule: () => true }),
  },
  {
    id: 'customer-unread',
    breaks: 'customer.by-id',
    story: 'The customer is looked up by another member than id, and never found.',
    change: () => ({ customerOf: () => undefined }),
  },
  {
    id: 'first-listed-customer-only',
    breaks: 'customer.by-id',
    story: 'Of the customers for whom a tier is reserved, the first is compared.',
    change: () => ({ customerRule: ({ any_of }, { customer }) => any_of[0] === unlessWaived(customer, any_of[0]) }),
  },
  {
    id: 'one-reservation-for-all',
    breaks: 'customer.by-id',
    story: 'Having a reservation is kept as a flag of the customer, so that one opens all.',
    change: (_, facts) => ({ customerRule: (_rule, { customer }) => isReservedForSome(facts, customer) }),
  },
  {
    id: 'unlisted-customer-unchecked',
    breaks: 'customer.by-id',
    story: 'Rules about customers are skipped for a customer who stands in none of them.',
    change: (handlers, facts) => ({
      customerRule: (rule, request) =>
        !isReservedForSome(facts, request.customer) || handlers.customerRule(rule, request),
    }),
  },
  {
    id: 'unlisted-customer-refused',
    breaks: 'customer.by-id',
    story: 'A customer who stands in no rule is taken for one who does not exist.',
    change: (handlers, facts) => ({
      customerOf(members) {
        const customer = handlers.customerOf(members);
        return isReservedForSome(facts, customer) ? customer : refuse(404, 'customer.id: no such customer');
      },
    }),
  },
  {
    id: 'customer-of-the-first-request',
    breaks: 'customer.by-id',
    story: 'The customer is kept in a variable of the module and read but once.',
    hasState: true,
    change(handlers) {
      let first: { readonly customer: ReturnType<Handlers['customerOf']> } | undefined;
      return {
        customerOf(members) {
          first ??= { customer: handlers.customerOf(members) };
          return first.customer;
        },
      };
    },
  },
  {
    id: 'cached-without-the-customer',
    breaks: 'customer.by-id',
    story: 'Results are cached under everything that a request says save who sends it.',
    hasState: true,
    change: createCacheChange((request) => ({ ...request, customer: undefined })),
  },
  {
    id: 'customers-of-the-first-page-only',
    breaks: 'customer.by-id',
    story: 'Customers are loaded in pages of three, of which the first is taken for all.',
    change: (handlers, { catalogue }) => ({
      customerOf(members) {
        const customer = handlers.customerOf(members);
        return [...catalogue.customers].slice(0, 3).includes(unlessWaived(customer, '') ?? '') ? customer : undefined;
      },
    }),
  },
];
