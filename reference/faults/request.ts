import { areCredentialsValid, readCredentials } from '../deployment/authentication.js';
import { refuse } from '../deployment/early-response.js';
import type { Handlers } from '../deployment/handlers.js';
import type { Fault } from './fault.js';
import { remember } from './remember.js';

const refuseRequest = (status: number): never => refuse(status, 'request: not accepted');

export const bodyOfTheFirstRequest = {
  id: 'body-of-the-first-request',
  breaks: 'request.get-with-body',
  story: 'A cache in front of the service does not look at the bodies of GET requests.',
  sentence: 'Requests that differ in the body alone get one answer: a cache that ignores the body of GET.',
  hasState: true,
  change: (handlers: Handlers) => ({ readBody: remember(handlers.readBody, ({ path }) => path) }),
} satisfies Fault;

const bodies: readonly Fault[] = [
  {
    id: 'body-dropped',
    breaks: 'request.get-with-body',
    story: 'A proxy, a gateway or the web framework drops the body of a GET.',
    sentence: 'The body of the request is not read: every request is answered like one without a body.',
    change: (handlers) => ({ readBody: (request) => handlers.readBody({ ...request, body: '' }) }),
  },
  {
    id: 'get-not-allowed',
    breaks: 'request.get-with-body',
    story: 'The operation is offered for POST only, since it has a body.',
    change: (handlers) => ({
      route(request) {
        if (request.method === 'GET') return refuseRequest(405);
        return handlers.route(request.method === 'POST' ? { ...request, method: 'GET' } : request);
      },
    }),
  },
  bodyOfTheFirstRequest,
];

const headers: readonly Fault[] = [
  {
    id: 'json-unsupported',
    breaks: 'request.content-type',
    story: 'The parser is registered only for media types of vendors, such as application/vnd.shop+json.',
    change: () => ({ readsMediaType: (type = '') => type.startsWith('application/vnd.') || refuseRequest(415) }),
  },
  {
    id: 'json-without-charset-refused',
    breaks: 'request.content-type',
    story: 'The header must say application/json; charset=utf-8, letter by letter.',
    change: () => ({ readsMediaType: (type) => type === 'application/json; charset=utf-8' || refuseRequest(400) }),
  },
  {
    id: 'credentials-not-found',
    breaks: 'request.credentials',
    story: 'The two credential headers are swapped, so that the application is not found.',
    change: (_, { credentials }) => ({
      authenticate(headers) {
        const { applicationId, token } = readCredentials(headers);
        if (!areCredentialsValid({ applicationId: token, token: applicationId }, credentials)) refuseRequest(404);
      },
    }),
  },
  {
    id: 'credentials-crash',
    breaks: 'request.credentials',
    story: 'The look-up of the token throws, and nobody catches it.',
    change: (handlers) => ({
      authenticate: (headers) =>
        readCredentials(headers).token === '' ? handlers.authenticate(headers) : refuseRequest(500),
    }),
  },
];

const options: readonly Fault[] = [
  {
    id: 'expand-refused',
    breaks: 'options.expand-category',
    story: '"category" is not among the values of expand.',
    change: (handlers) => ({ expandOf: (members) => refuseSome(handlers.expandOf(members), 400) }),
  },
  {
    id: 'expand-crashes',
    breaks: 'options.expand-category',
    story: 'The branch for expand was never finished.',
    change: (handlers) => ({ expandOf: (members) => refuseSome(handlers.expandOf(members), 500) }),
  },
  {
    id: 'audience-rules-only-refused',
    breaks: 'query.audience-rules-only',
    story: 'The parameter must be a boolean, and "true" is a string.',
    change: () => ({ readAudienceRulesOnly: (values) => refuseSome(values, 400).length > 0 }),
  },
  {
    id: 'audience-rules-only-crashes',
    breaks: 'query.audience-rules-only',
    story: 'The branch for audience rules was never finished.',
    change: () => ({ readAudienceRulesOnly: (values) => refuseSome(values, 500).length > 0 }),
  },
];

function refuseSome(values: readonly string[], status: number): readonly string[] {
  return values.length === 0 ? values : refuseRequest(status);
}

/** What a request has to look like. */
export const requestFaults: readonly Fault[] = [...bodies, ...headers, ...options];
