import type { Change, Handlers } from '../../../reference/deployment/handlers.js';
import { isObject, type Members } from '../../../reference/deployment/json.js';
import type { Body, ParsedRequest } from '../../../reference/deployment/parsed-request.js';
import { remember, textOf } from '../../../reference/faults/remember.js';
import type { Mistake } from './mistake.js';

/** A member of a request that a developer may keep for too long. */
export interface KeptMember {
  read(request: ParsedRequest): unknown;
  /** The request with this member replaced. */
  replace(request: ParsedRequest, value: unknown): ParsedRequest;
  /** The value of a request without this member. */
  readonly empty: unknown;
}

/** Keeps a member of one request for others. */
export type StateMistake = (member: KeptMember) => Change;

/** Replaces the member of each request, with a state that lasts from request to request. */
function restated(
  createState: () => (sent: unknown, request: ParsedRequest, isEmpty: boolean) => unknown,
): StateMistake {
  return (member) => (handlers) => {
    const next = createState();
    return {
      select(request) {
        const sent = member.read(request);
        const isEmpty = sent === undefined || (typeof sent === 'object' && Object.keys(sent ?? {}).length === 0);
        const value = next(sent, request, isEmpty);
        return handlers.select(value === sent ? request : member.replace(request, value));
      },
    };
  };
}

/** Keeps results under a key that is made of the request. */
function cachedUnder(keyOf: (member: KeptMember, request: ParsedRequest) => unknown): StateMistake {
  return (member) => (handlers) => ({ select: remember(handlers.select, (request) => keyOf(member, request)) });
}

/** Empties the member of every request after some. */
function lostAfter(count: number): StateMistake {
  return (member) =>
    restated(() => {
      let requests = 0;
      return (sent) => {
        requests += 1;
        return requests > count ? member.empty : sent;
      };
    })(member);
}

/** Reads what is right of a request that is refused: what a deployment may have stored by then. */
function readRightParts(handlers: Handlers, body: Body, query: string): ParsedRequest | undefined {
  if (body.kind !== 'object') return undefined;
  const { options: _, ...members } = body.members;
  const order = isObject(members.order) ? members.order : {};
  const items = (Array.isArray(order.items) ? order.items : []).filter((item: Members) =>
    Number.isInteger(item.quantity),
  );
  const right: Body = { kind: 'object', members: { ...members, options: {}, order: { ...order, items } } };
  return { ...handlers.parseBody(right), ...handlers.readQuery(query), turn: 'first' };
}

/** Keeps the member of a refused request, because only a request that succeeds clears it. */
const keptFromRefused: StateMistake = (member) => (handlers) => {
  let query = '';
  let refused: ParsedRequest | undefined;
  return {
    route(request) {
      query = handlers.route(request);
      return query;
    },
    parseBody(body) {
      try {
        return handlers.parseBody(body);
      } catch (early) {
        refused = readRightParts(handlers, body, query);
        throw early;
      }
    },
    select(request) {
      const kept = refused === undefined ? undefined : member.read(refused);
      refused = undefined;
      return handlers.select(kept === undefined ? request : member.replace(request, kept));
    },
  };
};

export const stateMistakes: readonly Mistake<StateMistake>[] = [
  {
    id: 'of-the-request-before',
    story: 'It is kept in a variable that is read before it is set.',
    plug: restated(() => {
      let before: unknown;
      let isFirst = true;
      return (sent) => {
        const value = isFirst ? sent : before;
        [before, isFirst] = [sent, false];
        return value;
      };
    }),
  },
  {
    id: 'of-the-first-request',
    story: 'It is kept in a variable that is set once.',
    plug: restated(() => {
      let first: unknown;
      return (sent, _, isEmpty) => {
        if (!isEmpty) first ??= sent;
        return first ?? sent;
      };
    }),
  },
  {
    id: 'kept-when-empty',
    story: 'It is kept in a variable that an empty value does not overwrite.',
    plug: restated(() => {
      let kept: unknown;
      return (sent, _, isEmpty) => {
        if (!isEmpty) kept = sent;
        return kept ?? sent;
      };
    }),
  },
  {
    id: 'kept-for-the-same-customer',
    story: 'It is kept in the session of the customer.',
    plug: restated(() => {
      const kept = new Map<string, unknown>();
      return (sent, { customer }, isEmpty) => {
        const key = textOf(customer);
        if (!isEmpty) kept.set(key, sent);
        return kept.get(key) ?? sent;
      };
    }),
  },
  {
    id: 'of-a-refused-request',
    story: 'It is stored before the request is checked, and only a request that succeeds clears it.',
    plug: keptFromRefused,
  },
  {
    id: 'left-out-of-the-cache',
    story: 'Results are cached under a key without it.',
    plug: cachedUnder((member, request) => member.replace(request, member.empty)),
  },
  {
    id: 'cached-by-length',
    story: 'Results are cached under a key that has its length alone.',
    plug: cachedUnder((member, request) => [
      textOf(member.read(request)).length,
      textOf(member.replace(request, member.empty)),
    ]),
  },
  {
    id: 'cached-with-the-customer-alone',
    story: 'Results are cached under it and the customer, without the rest.',
    plug: cachedUnder((member, request) => [request.customer, member.read(request)]),
  },
  ...[10, 50, 100].map((count) => ({
    id: `lost-after-${count}-requests`,
    story: `A table with room for ${count} is full, and it is dropped.`,
    plug: lostAfter(count),
  })),
];
