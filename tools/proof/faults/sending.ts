import { refuse } from '../../../reference/deployment/early-response.js';
import type { Filter } from '../../../reference/deployment/parsed-request.js';
import type { Fault } from '../../../reference/faults/fault.js';

const bracedBodies: Fault = {
  id: 'body-must-begin-with-a-brace',
  breaks: 'request.get-with-body',
  story: 'A firewall lets bodies pass that begin with a brace.',
  change: (handlers) => ({
    readBody: (request) =>
      request.body?.startsWith('{') ? handlers.readBody(request) : refuse(400, 'body: is no JSON', 'invalid_payload'),
  }),
};

/** Brackets are percent-encoded in every filter. */
const encodedLetters = /%(?:4[1-9a-f]|5[0-9a]|6[1-9a-f]|7[0-9a])/i;

const filters: readonly Fault[] = (['promotion_id', 'metadata'] as const).flatMap((field: Filter['field']): Fault[] => {
  const [name, breaks] =
    field === 'metadata'
      ? (['metadata-filter', 'filter.tier-metadata'] as const)
      : (['campaign-filter', 'filter.promotion-id'] as const);
  const undecoded = (id: string, story: string, pattern: RegExp): Fault => ({
    id: `${name}-${id}`,
    breaks,
    story,
    change: (handlers) => {
      let isMisread = false;
      return {
        readQuery(query) {
          isMisread = pattern.test(query);
          return handlers.readQuery(query);
        },
        readFilter(parameter) {
          const filter = handlers.readFilter(parameter);
          return filter?.field === field && isMisread ? undefined : filter;
        },
      };
    },
  });
  return [
    undecoded('unknown-where-letters-are-encoded', 'Letters that are percent-encoded are not decoded.', encodedLetters),
    {
      id: `${name}-lost-on-fresh-connections`,
      breaks,
      story: 'The filter is read by a middleware that the first request on a connection passes by.',
      change: (handlers) => {
        let isFresh = false;
        return {
          route(request) {
            isFresh = request.sent === 'on-a-fresh-connection';
            return handlers.route(request);
          },
          readFilter(parameter) {
            const filter = handlers.readFilter(parameter);
            return filter?.field === field && isFresh ? undefined : filter;
          },
        };
      },
    },
    {
      id: `${name}-lost-in-pieces`,
      breaks,
      story: 'A request whose body comes later is put together anew, without its query.',
      change: (handlers) => ({
        route: (request) =>
          request.sent === 'in-pieces' && handlers.route(request).includes(field) ? '' : handlers.route(request),
      }),
    },
  ];
});

const credentials: readonly Fault[] = (
  [
    ['lower', /^x-client-(?:application-id|token)$/],
    ['upper', /^X-CLIENT-(?:APPLICATION-ID|TOKEN)$/],
  ] as const
).map(([letters, pattern]) => ({
  id: `credentials-unread-in-${letters}-case`,
  breaks: 'request.credentials',
  story: `Names of headers are compared as they are documented, and those in ${letters} case are not found.`,
  change: (handlers) => ({
    authenticate(headers) {
      if (headers.some(([name]) => pattern.test(name))) refuse(401, 'credentials: are absent', 'unauthorized');
      handlers.authenticate(headers);
    },
  }),
}));

/** What is done to the same request, sent otherwise. */
export const sendingFaults: readonly Fault[] = [bracedBodies, ...filters, ...credentials];
