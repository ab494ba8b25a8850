import type { Handlers } from '../deployment/handlers.js';
import type { Fault } from './fault.js';

/** A window other than that of the newest 150 tiers. */
function windowFault(id: string, story: string, newest: Handlers['newest']): Fault {
  return { id, breaks: 'limit.newest-150', story, change: () => ({ newest }) };
}

/** Which tiers are checked. */
export const windowFaults: readonly Fault[] = [
  windowFault('window-of-149', 'The loop over the tiers ends one too early.', (tiers) => tiers.slice(0, 149)),
  windowFault('window-of-151', 'The loop over the tiers ends one too late.', (tiers) => tiers.slice(0, 151)),
  windowFault('window-of-100', 'The query for the tiers has the default limit of the database client.', (tiers) =>
    tiers.slice(0, 100),
  ),
  windowFault('window-missing', 'All tiers are checked.', (tiers) => tiers),
  windowFault('window-of-the-oldest', 'The tiers are sorted in ascending order before the limit is applied.', (tiers) =>
    tiers.slice(-150),
  ),
  {
    id: 'window-of-the-valid',
    breaks: 'limit.newest-150',
    story: 'Tiers are checked until 150 valid ones are found.',
    sentence:
      'The deployment applies the limit of 150 after it has evaluated the rules: older promotion tiers take the place of newer ones that are not valid.',
    change: (handlers) => ({ newest: (tiers) => tiers, select: (request) => handlers.select(request).slice(0, 150) }),
  },
  {
    id: 'window-within-the-audience',
    breaks: 'limit.newest-150',
    story: 'Tiers that are reserved for other customers are left out before the limit is applied.',
    sentence: 'The deployment applies the limit of 150 after it has left out promotions for other customers.',
    change: (handlers) => ({
      newest: (tiers) => tiers,
      candidates: (request) =>
        handlers
          .candidates(request)
          .filter(({ rules }) =>
            rules.every((rule) => rule.kind !== 'customer' || handlers.customerRule(rule, request)),
          )
          .slice(0, 150),
    }),
  },
];
