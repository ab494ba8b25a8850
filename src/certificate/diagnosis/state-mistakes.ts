import { parseFilterParameter } from '../../contract/operation.js';
import type { HttpRequest } from '../../http/exchange.js';
import { getMember, isJsonObject, parseJson } from '../../support/json.js';
import type { Observations } from './observation.js';
import { changeRequest, type Mistake } from './prediction.js';

/** A part of a request that a deployment may take from another one. */
interface KeptPart {
  /** Continues "… is answered with". */
  readonly name: string;
  read(request: HttpRequest): unknown;
  write(request: HttpRequest, part: unknown): HttpRequest;
}

/** A member of the body. @param path such as `order.items` */
function bodyPart(name: string, path: string): KeptPart {
  const [member = '', inner] = path.split('.');
  return {
    name,
    read: ({ body = '' }) => {
      const value = getMember(parseJson(body), member);
      return inner === undefined ? value : getMember(value, inner);
    },
    write: (request, part) => {
      const body = parseJson(request.body ?? '');
      if (!isJsonObject(body)) return request;
      const outer = body[member];
      const changed = inner === undefined ? part : { ...(isJsonObject(outer) ? outer : {}), [inner]: part };
      return { ...request, body: JSON.stringify({ ...body, [member]: changed }) };
    },
  };
}

/** A member of each item of an order. */
function itemPart(name: string, key: string): KeptPart {
  const items = bodyPart('', 'order.items');
  const list = (request: HttpRequest): readonly unknown[] => {
    const value = items.read(request);
    return Array.isArray(value) ? value : [];
  };
  return {
    name,
    read: (request) => list(request).map((item) => getMember(item, key)),
    write: (request, part) =>
      list(request).length === 0
        ? request
        : items.write(
            request,
            list(request).map((item, n) =>
              isJsonObject(item) && Object.hasOwn(item, key)
                ? { ...item, [key]: Array.isArray(part) ? part[n] : undefined }
                : item,
            ),
          ),
  };
}

/** The filters of one kind. @param keepsNames whether the values alone are meant */
function filterPart(name: string, on: readonly ('campaign' | 'metadata')[], keepsNames = false): KeptPart {
  // A question mark may also be in a key.
  const list = ({ path }: HttpRequest) => /\?(.+)$/s.exec(path)?.[1]?.split('&') ?? [];
  // Names may be percent-encoded.
  const isMeant = (parameter: string) =>
    [...new URLSearchParams(parameter).keys()].some((key) => {
      const subject = parseFilterParameter(key);
      return subject !== undefined && on.includes(subject.on);
    });
  return {
    name,
    read: (request) => list(request).filter(isMeant),
    write: (request, part) => {
      const kept = Array.isArray(part) ? (part as readonly string[]) : [];
      const others = list(request).filter((parameter) => !isMeant(parameter));
      const named = list(request)
        .filter(isMeant)
        .map((parameter, n) => `${parameter.split('=')[0]}=${kept[n]?.split('=')[1] ?? ''}`);
      const query = [...others, ...(keepsNames ? named : kept)].join('&');
      return { ...request, path: `${request.path.split('?')[0]}${query === '' ? '' : `?${query}`}` };
    },
  };
}

const keptParts: Readonly<Record<string, KeptPart>> = {
  body: {
    name: 'the whole body',
    read: ({ body }) => body,
    write: (request, body) => ({ ...request, body: body as string }),
  },
  customer: bodyPart('the customer', 'customer'),
  quantities: itemPart('the quantities', 'quantity'),
  products: itemPart('the product ids', 'product_id'),
  skus: itemPart('the SKU ids', 'sku_id'),
  items: bodyPart('the items', 'order.items'),
  order: bodyPart('the order', 'order'),
  metadata: bodyPart('the metadata', 'metadata'),
  'filter-values': filterPart('the values of filters', ['campaign', 'metadata'], true),
  'promotion-id-filter': filterPart('the filter by promotion_id', ['campaign']),
  'tier-metadata-filter': filterPart('the filter by tier metadata', ['metadata']),
};

/** Lists mistakes of deployments that answer a request with a part of another one. */
export function listStateMistakes({ history, world }: Observations): Mistake[] {
  const position = new Map(history.map((request, n) => [request, n]));
  return Object.entries(keptParts).flatMap(([id, { name, read, write }]) => {
    const isFilled = history.map((request) => !isEmpty(read(request)));
    const first = isFilled.indexOf(true);
    const lastFilled: number[] = [];
    for (const [n, has] of isFilled.entries()) lastFilled[n] = has ? n : (lastFilled[n - 1] ?? -1);
    const getRest = (request: HttpRequest) => {
      const { method, path, body } = write(request, undefined);
      return JSON.stringify([method, path, body]);
    };
    const firstByRest = new Map(history.map((request) => [getRest(request), request] as const).reverse());
    const create = (
      kind: string,
      sentence: string,
      findSource: (n: number, sent: HttpRequest) => HttpRequest | undefined,
    ): Mistake => ({
      id: `${kind}/${id}`,
      sentence,
      change: changeRequest((sent) => {
        const source = findSource(position.get(sent) ?? 0, sent);
        return source === undefined || source === sent ? sent : write(sent, read(source));
      }, world),
    });
    return [
      create(
        'cached-without',
        `Responses are cached without ${name} in the key: requests that differ only in it get the answer of the first one.`,
        (_, sent) => firstByRest.get(getRest(sent)),
      ),
      create('kept-from-before', `A request is answered with ${name} of the request before it.`, (n) => history[n - 1]),
      create('kept-from-first', `All later requests are answered with ${name} of the first one that has it.`, (n) =>
        first >= 0 && first < n && isFilled[n] ? history[first] : undefined,
      ),
      create(
        'kept-when-missing',
        `A request without ${name} gets the result for ${name} of an earlier request.`,
        (n) => (isFilled[n] ? undefined : history[lastFilled[n - 1] ?? -1]),
      ),
    ];
  });
}

function isEmpty(part: unknown): boolean {
  return ['', '""', '{}', '[]'].includes(JSON.stringify(part) ?? '');
}
