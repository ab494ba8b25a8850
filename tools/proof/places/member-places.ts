/** Members of a request that have names with values, each read beside another one. */

import type { Members } from '../../../reference/deployment/json.js';
import { type Filter, type Line, type ParsedRequest, waived } from '../../../reference/deployment/parsed-request.js';
import type { MemberReading } from '../mistakes/member.js';
import type { Place } from './places.js';

interface NamedMember extends Omit<Place<never>, 'plug'> {
  read(request: ParsedRequest): Members;
  replace(request: ParsedRequest, members: Members): ParsedRequest;
}

const nameOf = ({ as }: Line) => (as === 'product' ? 'product_id' : 'sku_id');
const kinds = ['product', 'sku'] as const;
const textIn = (value: unknown): string => (value === undefined ? '' : String(value));

/** Filters whose values are those of members with their names. */
function replaceValues(request: ParsedRequest, field: Filter['field'], members: Members): ParsedRequest {
  const filters = request.filters.map((filter): Filter => {
    if (filter.field !== field) return filter;
    return { ...filter, value: textIn(members[filter.field === 'metadata' ? filter.key : filter.field]) };
  });
  return { ...request, filters };
}

const customer: NamedMember = {
  id: 'customer',
  what: 'the customer',
  breaks: 'customer.by-id',
  read: (request) => (typeof request.customer === 'string' ? { id: request.customer } : {}),
  replace: (request, { id }) => (request.customer === waived ? request : { ...request, customer: textIn(id) }),
};

const firstItem: NamedMember = {
  id: 'item',
  what: 'the first item',
  breaks: 'order.product-item',
  read({ lines: [line] }) {
    return line === undefined ? {} : { [nameOf(line)]: line.id, quantity: line.quantity };
  },
  replace(request, members) {
    const [first, ...others] = request.lines;
    if (first === undefined) return request;
    const lines = kinds.flatMap((as): Line[] => {
      const line = { ...first, as };
      const id = members[nameOf(line)];
      return id === undefined ? [] : [{ ...line, id: textIn(id), quantity: Number(members.quantity) }];
    });
    return { ...request, lines: [...lines, ...others] };
  },
};

const orderMetadata: NamedMember = {
  id: 'order-metadata',
  what: 'the order’s metadata',
  breaks: 'order.metadata',
  read: (request) => (request.orderMetadata === waived ? {} : request.orderMetadata),
  replace: (request, members) => ({ ...request, orderMetadata: members }),
};

const metadata: NamedMember = {
  id: 'metadata',
  what: 'the request’s metadata',
  breaks: 'metadata.promotion-rules',
  read: (request) => (request.metadata === waived ? {} : request.metadata),
  replace: (request, members) => ({ ...request, metadata: members }),
};

const options: NamedMember = {
  id: 'options',
  what: 'the options',
  breaks: 'options.expand-category',
  read: ({ expand }) => (expand.length === 0 ? {} : { expand }),
  replace: (request) => request,
};

const metadataFilter: NamedMember = {
  id: 'metadata-filter',
  what: 'the metadata filter',
  breaks: 'filter.tier-metadata',
  read: ({ filters }) =>
    Object.fromEntries(filters.flatMap((filter) => (filter.field === 'metadata' ? [[filter.key, filter.value]] : []))),
  replace: (request, members) => replaceValues(request, 'metadata', members),
};

const campaignFilter: NamedMember = {
  id: 'campaign-filter',
  what: 'the campaign filter',
  breaks: 'filter.promotion-id',
  read: ({ filters }) =>
    Object.fromEntries(filters.flatMap(({ field, value }) => (field === 'promotion_id' ? [[field, value]] : []))),
  replace: (request, members) => replaceValues(request, 'promotion_id', members),
};

const members = [customer, firstItem, orderMetadata, metadata, options, metadataFilter, campaignFilter];

/** Each member beside each other one. */
export const memberPlaces: readonly Place<MemberReading>[] = members.flatMap((member) =>
  members
    .filter((another) => another !== member)
    .map((another) => ({
      id: `${member.id}-beside-${another.id}`,
      what: `To read ${member.what}, ${another.what} is looked at`,
      breaks: member.breaks,
      plug: (readMember) => (handlers) => ({
        select(request) {
          const read = member.replace(request, readMember(member.read(request), another.read(request)));
          const lines = read.lines === request.lines ? {} : { tally: handlers.tally(read.lines) };
          return handlers.select({ ...read, ...lines });
        },
      }),
    })),
);
