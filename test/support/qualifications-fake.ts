/**
 * An imitation of a vendor's qualifications API for examples/voucherify/qualifications. It follows the published documents
 * that the README there names, and shares no code with the transport or the reference deployment.
 */

import type { TierRule, World } from '../../src/contract/world.js';
import type { HttpRequest, HttpResponse } from '../../src/http/exchange.js';
import { parseJson } from '../../src/support/json.js';

/** Mistakes that the project can have, most of them in what the transport needs. */
export const qualificationsFaults = ['quantity-ignored', 'one-page-only'] as const;
export type QualificationsFault = (typeof qualificationsFaults)[number];

export type Json = Readonly<Record<string, unknown>>;
interface Redeemable {
  readonly id: string;
  readonly object: 'promotion_tier' | 'voucher';
  readonly created_at: string;
  readonly campaign_id: string;
  readonly metadata: Json;
  readonly rules: readonly TierRule[];
}

export const object = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {});
export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const headers = [['Content-Type', 'application/json']] as const;
export const answer = (status: number, body: unknown): HttpResponse => ({
  status,
  headers,
  body: JSON.stringify(body),
});
export const refuse = (code: number, key: string, details: string) =>
  answer(code, { code, key, message: key.replaceAll('_', ' '), details, request_id: 'v-1' });

/** A project with redeemables. */
export class QualificationsFake {
  private readonly redeemables: Redeemable[] = [];

  constructor(
    private readonly credentials: { readonly applicationId: string; readonly token: string },
    private readonly fault?: QualificationsFault,
  ) {}

  /** Creates the tiers of a world, and a voucher for everybody after every fortieth. */
  load({ tiers }: World): this {
    for (const [n, tier] of tiers.toReversed().entries()) {
      this.redeemables.unshift({ ...tier, object: 'promotion_tier' });
      const voucher = { ...tier, id: `v_${n}`, metadata: {}, rules: [], object: 'voucher' } as const;
      if (n % 40 === 39) this.redeemables.unshift(voucher);
    }
    return this;
  }

  /** @param request its path is relative to the base URL */
  readonly respond = ({ method, path, headers: sent, body = '' }: HttpRequest): HttpResponse => {
    const header = (name: string) => sent.find(([key]) => key.toLowerCase() === name)?.[1];
    if (path !== '/v1/qualifications' || method !== 'POST') return refuse(404, 'not_found', `${method} ${path}`);
    if (header('x-client-application-id') !== this.credentials.applicationId) return refuse(401, 'unauthorized', 'id');
    if (header('x-client-token') !== this.credentials.token) return refuse(401, 'unauthorized', 'token');
    const parsed = parseJson(body);
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
      return refuse(400, 'invalid_payload', 'no object');
    const context = object(parsed);
    const { limit = 5, starting_after: after, filters, expand } = object(context.options);
    if (!Number.isInteger(limit) || Number(limit) < 1 || Number(limit) > 50)
      return refuse(400, 'invalid_payload', 'limit');
    const found = this.redeemables
      .filter((promotion) => this.passes(promotion, object(filters)) && this.qualifies(promotion, context))
      .toSorted((a, b) => b.created_at.localeCompare(a.created_at));
    const rest = typeof after === 'string' ? found.filter(({ created_at }) => created_at < after) : found;
    const data = rest.slice(0, Number(limit));
    const has_more = this.fault !== 'one-page-only' && rest.length > data.length;
    const isExpanded = list(expand).includes('redeemable');
    return answer(200, {
      redeemables: {
        object: 'list',
        data_ref: 'data',
        data: data.map(({ rules: _, metadata, ...record }) => ({ ...record, ...(isExpanded ? { metadata } : {}) })),
        total: found.length,
        has_more,
        ...(has_more ? { more_starting_after: data.at(-1)?.created_at } : {}),
      },
      tracking_id: 'track_1',
      stacking_rules: {},
    });
  };

  private passes({ campaign_id, object: resource_type }: Redeemable, filters: Json): boolean {
    const values: Json = { campaign_id, resource_type };
    return Object.entries(values).every(([name, value]) => {
      const { $is, $in = $is } = object(object(filters[name]).conditions);
      return $in === undefined || list($in).includes(value);
    });
  }

  private qualifies({ rules }: Redeemable, { customer, order, metadata, scenario = 'ALL' }: Json): boolean {
    const items = list(object(order).items).map(object);
    const countUnits = (member: string, id: string) =>
      items.filter((item) => item[member] === id).reduce((sum, { quantity = 1 }) => sum + Number(quantity), 0);
    const isEnough = (units: number, least: number) => (this.fault === 'quantity-ignored' ? units > 0 : units >= least);
    const holds = (rule: TierRule): boolean => {
      switch (rule.kind) {
        case 'customer':
          return rule.any_of.includes(String(object(customer).id));
        case 'product':
          return isEnough(countUnits('product_id', rule.id), rule.at_least);
        case 'sku':
          return isEnough(countUnits('sku_id', rule.id), rule.at_least);
        case 'order_metadata':
          return list(object(object(order).metadata)[rule.key]).includes(rule.includes);
        case 'metadata':
          return object(metadata)[rule.key] === rule.is;
        case 'other':
          return true;
      }
    };
    return rules.every((rule) => (scenario === 'AUDIENCE_ONLY' && rule.kind !== 'customer') || holds(rule));
  }
}
