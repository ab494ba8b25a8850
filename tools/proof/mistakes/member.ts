import type { Members } from '../../../reference/deployment/json.js';
import type { Mistake } from './mistake.js';

/** Reads a member of a request, which has names with values, beside another one. The right decision is to take the first. */
export type MemberReading = (member: Members, another: Members) => Members;

const takeFirstValues = (members: Members): Members =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]));

/** How developers mix up members of the same shape. */
export const memberMistakes: readonly Mistake<MemberReading>[] = [
  {
    id: 'overwritten',
    story: 'Both are poured into one object, and the other one wins.',
    plug: (member, another) => ({ ...member, ...another }),
  },
  {
    id: 'overwritten-by-first-values',
    story: 'Both are poured into one object, the other one wins, and of several values the first counts.',
    plug: (member, another) => ({ ...member, ...takeFirstValues(another) }),
  },
  {
    id: 'completed',
    story: 'Both are poured into one object, and the other one fills gaps.',
    plug: (member, another) => ({ ...another, ...member }),
  },
  { id: 'replaced', story: 'The other one is read in its place.', plug: (_, another) => another },
];
