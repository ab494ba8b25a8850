/** Kinds of ids that a deployment may have, and ways in which a response may name promotions by them. */

import type { Tier } from '../../src/contract/world.js';

/** Creates different ids by number, from 0 on. */
type CreateId = (n: number) => string;

/** Writes a number with letters alone. */
const spell = (n: number): string => [...String(n)].map((digit) => 'KgrTxbQmzw'[Number(digit)]).join('');

const words =
  'id,name,true,data,null,total,promotions,href,gold,created_at,metadata,web,false,next,type,campaign,text,rules,level,object'.split(
    ',',
  );
const parts = ['promotion', 'promotion-tier', 'tier', 'tier-for', 'promotion-tier-for'];

export const idKinds = {
  'with letters and digits': (n) => `promo_${(n * 7_919 + 65_537).toString(16).padStart(12, 'a')}1`,
  'random, without digits': (n) => `promo_KiHJjf${spell(n + 1000)}rEFnz`,
  'short, without digits': (n) => `p${spell(n)}`,
  'of an auto-increment column': (n) => String(n + 1),
  'of 64 bits': (n) => String(9_007_199_254_740_993n + BigInt(n)),
  snowflakes: (n) => String(1_187_650_413_902_741_504n + BigInt(n) * 4_194_304n),
  'beyond 64 bits': (n) => `${n + 1}00000000000000000000`,
  'with trailing zeros': (n) => `${n + 1}.50`,
  short: (n) => `T-${n}`,
  'with signs': (n) => `tier ${n} / größe <½> & "more"`,
  'words of the data': (n) => words[n] ?? `word ${n}`,
  'parts of others': (n) => parts[n] ?? `promotion-tier-for-${n}`,
  'different in letter case alone': (n) => `promotion-${n % 2 === 0 ? 'abc' : 'ABC'}-${Math.floor(n / 2)}`,
  UUIDs: (n) => `8f14e45f-ceea-467f-a0e6-${(n + 4_096).toString(16).padStart(12, '0')}`,
} satisfies Readonly<Record<string, CreateId>>;

export type IdKind = keyof typeof idKinds;

/** Writes a body that names promotions. */
type WriteBody = (ids: readonly string[], tiers: readonly Tier[]) => string;

const isNumber = (id: string) => /^(?:0|[1-9]\d*)(?:\.\d+)?$/.test(id);
/** An id as JSON has it: a number without quotation marks. */
const toJson = (id: string) => (isNumber(id) ? id : JSON.stringify(id));
const write = (ids: readonly string[], present: (id: string) => unknown) =>
  JSON.stringify({ promotions: ids.map(present) });
const encodeAll = (id: string) =>
  [...Buffer.from(id)].map((byte) => `%${byte.toString(16).padStart(2, '0').toUpperCase()}`).join('');
const escapeAll = (id: string) =>
  [...id].map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
const escapeHtml = (id: string) => id.replaceAll(/[^A-Za-z0-9]/g, (sign) => `&#${sign.codePointAt(0)};`);

export const namings = {
  records: (ids) => write(ids, (id) => ({ id })),
  'JSON numbers': (ids) => `{"promotions":[${ids.map((id) => `{"id":${toJson(id)}}`).join()}]}`,
  'JSON numbers beside others': (ids, tiers) =>
    `{"total":${ids.length},"promotions":[${ids.map((id, n) => `{"id":${toJson(id)},"amount":${n}.50,"rate":1e2,"at":${JSON.stringify(tiers[n]?.created_at)}}`).join()}]}`,
  links: (ids) => write(ids, (id) => ({ href: `/v1/promotions/tiers/${id}` })),
  'encoded links': (ids) => write(ids, (id) => ({ href: `/v1/tiers/${encodeURIComponent(id)}?expand=all` })),
  'links with every letter encoded': (ids) => write(ids, (id) => ({ href: `/v1/tiers/${encodeAll(id)}` })),
  'upper case': (ids) => write(ids, (id) => ({ id: id.toUpperCase() })),
  'lower case': (ids) => write(ids, (id) => ({ id: id.toLowerCase() })),
  keys: (ids) => JSON.stringify({ promotions: Object.fromEntries(ids.map((id) => [id, { valid: true }])) }),
  'JSON in a text': (ids) => JSON.stringify({ status: 200, body: write(ids, (id) => ({ id })) }),
  'a URN': (ids) => write(ids, (id) => ({ urn: `urn:promotion:${id}` })),
  'a word around': (ids) => write(ids, (id) => ({ key: `tier_${id}_v1` })),
  'one text': (ids) => JSON.stringify({ promotions: ids.join(',') }),
  'a sentence': (ids) => JSON.stringify({ text: `Valid are: ${ids.join(' and ')}.` }),
  'escapes of JSON': (ids) => `{"promotions":[${ids.map((id) => `{"id":"${escapeAll(id)}"}`).join()}]}`,
  'escapes of HTML': (ids) => write(ids, (id) => ({ html: `<a id="${escapeHtml(id)}">a</a>` })),
  'global ids': (ids) => write(ids, (id) => ({ id: Buffer.from(`Tier:${id}`).toString('base64') })),
  'the first one whole, all in links': (ids) =>
    JSON.stringify({ best: ids[0] ?? null, promotions: ids.map((id) => ({ href: `/v1/tiers/${id}` })) }),
  'the first one as a record, the others in links': (ids) =>
    JSON.stringify({ best: { id: ids[0] ?? null }, others: ids.slice(1).map((id) => `/v1/tiers/${id}`) }),
  'records with their ids twice': (ids, tiers) =>
    write(ids, (id) => {
      const rules = tiers.find((tier) => tier.id === id)?.rules ?? [];
      return { id, ...(rules.length > 0 && { validation_rule_assignments: { data: [{ related_object_id: id }] } }) };
    }),
} satisfies Readonly<Record<string, WriteBody>>;

export type Naming = keyof typeof namings;
