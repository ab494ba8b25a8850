import { refuse } from '../deployment/early-response.js';
import type { Handlers } from '../deployment/handlers.js';
import { waived } from '../deployment/parsed-request.js';
import { type Fault, isReservedForSome, unlessWaived } from './fault.js';

/** Who the customer is, and what is reserved for whom. */
export const customerFaults: readonly Fault[] = [
  {
    id: 'customer-ignored',
    breaks: 'customer.by-id',
    story: 'Rules about customers are loaded but never checked.',
    sentence: 'Rules about customers are ignored: promotions for other customers are returned.',
    change: () => ({ customerRule: () => true }),
  },
  {
    id: 'customer-unread',
    breaks: 'customer.by-id',
    story: 'The customer is looked up by another member than id, and never found.',
    sentence: 'Promotions for a customer are never returned: no customer meets a rule about customers.',
    change: () => ({ customerOf: () => undefined }),
  },
  {
    id: 'first-listed-customer-only',
    breaks: 'customer.by-id',
    story: 'Only the first customer of a rule is compared.',
    sentence: 'Of the customers that a promotion is reserved for, only the first one gets it.',
    change: () => ({ customerRule: ({ any_of }, { customer }) => any_of[0] === unlessWaived(customer, any_of[0]) }),
  },
  {
    id: 'one-reservation-for-all',
    breaks: 'customer.by-id',
    story: 'The customer has only a flag for reservations, so one reservation opens all.',
    sentence: 'A customer for whom a promotion is reserved also gets what is reserved for other customers.',
    change: (_, facts) => ({
      customerRule: (_rule, { customer }) => customer === waived || isReservedForSome(facts, customer),
    }),
  },
  {
    id: 'unlisted-customer-unchecked',
    breaks: 'customer.by-id',
    story: 'Rules about customers are skipped for a customer who is in none of them.',
    sentence: 'A customer for whom nothing is reserved gets what is reserved for others.',
    change: (handlers, facts) => ({
      customerRule: (rule, request) =>
        !isReservedForSome(facts, request.customer) || handlers.customerRule(rule, request),
    }),
  },
  {
    id: 'unlisted-customer-refused',
    breaks: 'customer.by-id',
    story: 'A customer who is in no rule is taken for one who does not exist.',
    change: (handlers, facts) => ({
      customerOf(members) {
        const customer = handlers.customerOf(members);
        const isUnlisted = typeof customer === 'string' && !isReservedForSome(facts, customer);
        return isUnlisted ? refuse(404, 'customer.id: no such customer') : customer;
      },
    }),
  },
  {
    id: 'customer-of-the-first-request',
    breaks: 'customer.by-id',
    story: 'The customer is kept in a variable of the module, which only the first request sets.',
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
    id: 'customers-of-the-first-page-only',
    breaks: 'customer.by-id',
    story: 'Customers are loaded in pages of three, and only the first page is read.',
    sentence: 'Only some customers are known: rules about the others never hold.',
    change: (handlers, { catalogue }) => ({
      customerOf(members) {
        const customer = handlers.customerOf(members);
        const isLoaded = typeof customer !== 'string' || [...catalogue.customers].slice(0, 3).includes(customer);
        return isLoaded ? customer : undefined;
      },
    }),
  },
];
