import { parseFilterParameter } from '../../contract/operation.js';
import type { HttpRequest } from '../../http/exchange.js';
import { getMember, isJsonObject, parseJson } from '../../support/json.js';
import type { Observations } from './observation.js';
import type { Change, Filter, Mistake } from './prediction.js';

/** A part of a request that a deployment may take from another one. */
interface KeptPart {
  read(request: HttpRequest): unknown;
  write(request: HttpRequest, part: unknown): HttpRequest;
}

function bodyPart(member: string): KeptPart {
  return {
    read: ({ body = '' }) => getMember(parseJson(body), member),
    write: (request, part) => {
      const body = parseJson(request.body ?? '');
      return isJsonObject(body) ? { ...request, body: JSON.stringify({ ...body, [member]: part }) } : request;
    },
  };
}

function filterPart(on: Filter['on']): KeptPart {
  // A question mark may also be in a key.
  const list = ({ path }: HttpRequest) => /\?(.+)$/s.exec(path)?.[1]?.split('&') ?? [];
  // Names may be percent-encoded.
  const isMeant = (parameter: string) =>
    [...new URLSearchParams(parameter).keys()].some((name) => parseFilterParameter(name)?.on === on);
  return {
    read: (request) => list(request).filter(isMeant),
    write: (request, part) => {
      const query = [...list(request).filter((parameter) => !isMeant(parameter)), ...((part ?? []) as string[])].join(
        '&',
      );
      return { ...request, path: `${request.path.split('?')[0]}${query === '' ? '' : `?${query}`}` };
    },
  };
}

const keptParts: Readonly<Record<string, KeptPart>> = {
  'the whole body': {
    read: ({ body }) => body,
    write: (request, body) => ({ ...request, body: body as string }),
  },
  'the customer': bodyPart('customer'),
  'the order': bodyPart('order'),
  'the metadata': bodyPart('metadata'),
  'the filter by promotion_id': filterPart('campaign'),
  'the filter by tier metadata': filterPart('metadata'),
};

/** Lists mistakes of deployments that answer a request with a part of another one. */
export function listStateMistakes({ history, all }: Observations): Mistake[] {
  const position = new Map(history.map((request, n) => [request, n]));
  return Object.entries(keptParts).flatMap(([name, { read, write }]) => {
    const isFilled = history.map((request) => !['', '""', '{}', '[]'].includes(JSON.stringify(read(request)) ?? ''));
    const first = isFilled.indexOf(true);
    const lastFilled: number[] = [];
    for (const [n, has] of isFilled.entries()) lastFilled[n] = has ? n : (lastFilled[n - 1] ?? -1);
    const getRest = (request: HttpRequest) => {
      const { method, path, body } = write(request, undefined);
      return JSON.stringify([method, path, body]);
    };
    const firstByRest = new Map(all.map(({ exchange: { request } }) => [getRest(request), request] as const).reverse());
    const takeFrom =
      (findSource: (n: number, sent: HttpRequest) => HttpRequest | undefined): Change =>
      (reading) => {
        const source = findSource(position.get(reading.sent) ?? 0, reading.sent);
        if (source === undefined || source === reading.sent) return reading;
        return { ...reading, request: write(reading.request, read(source)) };
      };
    return Object.entries({
      [`Responses are cached without ${name} in the key: requests that differ only in it get the answer of the first one.`]:
        takeFrom((_, sent) => firstByRest.get(getRest(sent))),
      [`A request is answered with ${name} of the request before it.`]: takeFrom((n) => history[n - 1]),
      [`All later requests are answered with ${name} of the first one that has it.`]: takeFrom((n) =>
        first >= 0 && first < n && isFilled[n] ? history[first] : undefined,
      ),
      [`A request without ${name} gets the result for ${name} of an earlier request.`]: takeFrom((n) =>
        isFilled[n] ? undefined : history[lastFilled[n - 1] ?? -1],
      ),
    });
  });
}
