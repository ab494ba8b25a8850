/** The parts of a request that a deployment may refuse, and requests without them. */

import { applyEdits, modify } from 'jsonc-parser';
import type { RequirementTopic } from '../contract/contract.js';
import { credentialHeaders } from '../contract/operation.js';
import { parseRequest } from '../http/decoded-request.js';
import { getHeaderValues, type HttpRequest } from '../http/exchange.js';
import { isJsonObject } from '../support/json.js';

/**
 * Which refusals show that the part itself is refused, and not what it names. `any-status`: it names nothing that a deployment
 * may lack. `status-of-no-front`: a proxy or a firewall may refuse it. `data-independent-status`: it names test data, which may
 * not be loaded. `nothing`: it names the credentials, which may be wrong.
 */
export type ProvingRefusals = 'any-status' | 'status-of-no-front' | 'data-independent-status' | 'nothing';

export interface RequestPart {
  /** As messages name it: "the member 'options'". */
  readonly description: string;
  /** Finds the requirement that says that it is accepted. */
  readonly about: RequirementTopic;
  readonly provenBy: ProvingRefusals;
  /** Whether another value takes its place, so that no case is about it. */
  readonly isReplaced: boolean;
  isIn(request: HttpRequest): boolean;
  isEmptyIn(request: HttpRequest): boolean;
  leaveOut(request: HttpRequest): HttpRequest;
  /** For a member that may be empty: the same request with a value in it. */
  readonly fill?: (request: HttpRequest) => HttpRequest;
}

export interface RefusedPart {
  readonly part: RequestPart;
  /** Whether it is accepted if it has a value. */
  readonly isEmptyOnly: boolean;
}

export function leaveOutPart(request: HttpRequest, { part, isEmptyOnly }: RefusedPart): HttpRequest {
  if (!part.isIn(request) || (isEmptyOnly && !part.isEmptyIn(request))) return request;
  return part.leaveOut(request);
}

type Path = readonly string[];

/** @param value what a filled member contains */
function defineMember(path: Path, about: RequirementTopic, value?: Readonly<Record<string, unknown>>): RequestPart {
  const read = (request: HttpRequest): unknown =>
    path.reduce<unknown>((value, name) => (isJsonObject(value) ? value[name] : undefined), parseRequest(request).body);
  const write = (request: HttpRequest, member: unknown): HttpRequest => {
    // Everything else of the text stays as it is: white space, the order of members, escapes.
    const body = request.body ?? '';
    return { ...request, body: applyEdits(body, modify(body, [...path], member, {})) };
  };
  return {
    description: `the member '${path.join('.')}'`,
    about,
    provenBy: value === undefined ? 'data-independent-status' : 'any-status',
    isReplaced: false,
    isIn: (request) => read(request) !== undefined,
    isEmptyIn(request) {
      const member = read(request);
      return isJsonObject(member) && Object.keys(member).length === 0;
    },
    leaveOut: (request) => write(request, undefined),
    ...(value !== undefined && { fill: (request) => write(request, value) }),
  };
}

function defineHeader(name: string, about: RequirementTopic, provenBy: ProvingRefusals): RequestPart {
  return {
    description: `the header '${name}'`,
    about,
    provenBy,
    isReplaced: false,
    isIn: ({ headers }) => getHeaderValues(headers, name).length > 0,
    isEmptyIn: () => false,
    leaveOut: (request) => ({
      ...request,
      headers: request.headers.filter(([key]) => key.toLowerCase() !== name.toLowerCase()),
    }),
  };
}

/** A header that the client adds unless a request has it. It is not left out, but sent with another value. */
function defineAddedHeader(name: string, other: string): RequestPart {
  return {
    description: `the usual value of the header '${name}'`,
    about: 'body',
    provenBy: 'status-of-no-front',
    isReplaced: true,
    isIn: ({ headers, sent }) => getHeaderValues(headers, name).length === 0 && sent !== 'with-accept-headers',
    isEmptyIn: () => false,
    leaveOut: (request) => ({ ...request, headers: [...request.headers, [name, other]] }),
  };
}

/** The optional members of the body. */
export const bodyMembersAsRequestParts = {
  options: defineMember(['options'], 'expand', { expand: ['category'] }),
  metadata: defineMember(['metadata'], 'metadata-rule', { note: 'entry' }),
  orderMetadata: defineMember(['order', 'metadata'], 'order-metadata', { note: ['entry'] }),
  customer: defineMember(['customer'], 'customer-rule'),
  items: defineMember(['order', 'items'], 'product-rule'),
  order: defineMember(['order'], 'product-rule'),
} as const satisfies Readonly<Record<string, RequestPart>>;

/** The headers of a request: those that the documentation names, and those that the client adds. */
export const headersAsRequestParts = {
  accept: defineAddedHeader('Accept', 'application/json'),
  acceptEncoding: defineAddedHeader('Accept-Encoding', 'gzip, deflate, br'),
  userAgent: defineAddedHeader('User-Agent', 'Mozilla/5.0'),
  contentType: defineHeader('Content-Type', 'content-type', 'data-independent-status'),
  applicationId: defineHeader(credentialHeaders.applicationId, 'credentials', 'nothing'),
  token: defineHeader(credentialHeaders.token, 'credentials', 'nothing'),
} as const satisfies Readonly<Record<string, RequestPart>>;
