/** Exports of real databases: each certifies a deployment that answers from that database. */

import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { parseFilterParameter } from '../../src/contract/operation.js';
import type { Tier, TierRule, World } from '../../src/contract/world.js';
import { parseRequest } from '../../src/http/decoded-request.js';
import { loadSuite, packageCasesFolder } from '../../src/suite/suite.js';
import { packageRoot } from '../../src/support/package-root.js';
import type { Answer } from '../../tools/proof/judge-deployment.js';
import { type Database, type DatabaseName, databaseNames, isInstalled, startDatabase } from '../support/databases.js';
import { certifyInProcess, renderUnpassed } from '../support/in-process.js';
import { createData } from '../support/own-data.js';

const readExample = (file: string) => readFileSync(path.join(packageRoot, 'examples', 'export', file), 'utf8');

type TableRow = readonly [table: string, row: readonly unknown[]];

/** Lists the rows of the tables of the example, in an order in which no row refers to a later one. */
function listRows({ tiers, ...world }: World): TableRow[] {
  return [
    ...world.customers.map(({ id }): TableRow => ['customers', [id]]),
    ...world.products.map(({ id }): TableRow => ['products', [id]]),
    ...world.skus.map(({ id, product_id }): TableRow => ['skus', [id, product_id]]),
    ...world.categories.map(({ id, name }): TableRow => ['categories', [id, name]]),
    ...world.campaigns.map(({ id, name }): TableRow => ['campaigns', [id, name]]),
    ...world.campaigns.flatMap(({ id, category_ids }) =>
      category_ids.map((category): TableRow => ['campaign_categories', [id, category]]),
    ),
    ...tiers.flatMap(listTierRows),
    ...tiers
      .flatMap(({ id, rules }) => rules.map((rule) => ({ rule, promotion: id })))
      .flatMap(({ rule, promotion }, n) => listRuleRows(rule, promotion, n + 1)),
  ];
}

function listTierRows({ id, campaign_id, name, created_at, metadata }: Tier): TableRow[] {
  return [
    ['promotions', [id, campaign_id, name, created_at.replace('T', ' ').replace('Z', '')]],
    ...Object.entries(metadata).map((entry): TableRow => ['promotion_metadata', [id, ...entry]]),
  ];
}

function listRuleRows(rule: TierRule, promotion: string, ruleId: number): TableRow[] {
  const customers = rule.kind === 'customer' ? rule.any_of : [];
  return [
    ['promotion_rules', [ruleId, promotion, ...listRuleColumns(rule)]],
    ...customers.map((customer): TableRow => ['promotion_rule_customers', [ruleId, customer]]),
  ];
}

function listRuleColumns(rule: TierRule): readonly unknown[] {
  if (rule.kind === 'product' || rule.kind === 'sku') return [rule.kind, rule.id, rule.at_least, null, null];
  if (rule.kind === 'metadata') return [rule.kind, null, null, rule.key, rule.is];
  if (rule.kind === 'order_metadata') return [rule.kind, null, null, rule.key, rule.includes];
  return [rule.kind === 'other' ? 'weather' : rule.kind, null, null, null, null];
}

function fillTables({ run }: Database, name: DatabaseName, world: World): void {
  const quote = (value: unknown) => (typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value));
  const inserts = listRows(world).map(([table, row]) => `INSERT INTO ${table} VALUES (${row.map(quote).join()});`);
  const mode = name === 'mariadb' ? "SET SESSION sql_mode = 'NO_BACKSLASH_ESCAPES,STRICT_ALL_TABLES';\n" : '';
  run(`${mode}${readExample('schema.sql')}BEGIN;\n${inserts.join('\n')}\nCOMMIT;\n`);
}

/** How a deployment selects promotions. `sent` is JSON in hexadecimal digits: the body, and `filters` with a name or ''. */
const selections: Readonly<Record<DatabaseName, (sent: string) => string>> = {
  postgresql: (sent) => `
    SELECT coalesce(json_agg(json_build_object('id', p.id) ORDER BY p.created_at DESC), '[]')
    FROM (SELECT convert_from(decode('${sent}', 'hex'), 'UTF8')::jsonb AS r) AS sent,
      (SELECT * FROM promotions ORDER BY created_at DESC LIMIT 150) AS p
    WHERE NOT EXISTS (
      SELECT FROM promotion_rules u WHERE u.promotion_id = p.id AND NOT CASE
        WHEN u.kind = 'customer' THEN EXISTS (
          SELECT FROM promotion_rule_customers c WHERE c.rule_id = u.id AND c.customer_id = r->'customer'->>'id')
        WHEN u.kind = 'metadata' THEN coalesce(r->'metadata'->>u.name = u.value, false)
        WHEN u.kind IN ('product', 'sku') THEN (
          SELECT coalesce(sum(coalesce((i->>'quantity')::numeric, 1)), 0)
          FROM jsonb_array_elements(coalesce(r->'order'->'items', '[]')) i
          WHERE i->>(u.kind || '_id') = u.item_id) >= u.quantity
        ELSE true END)
    AND NOT EXISTS (
      SELECT FROM jsonb_array_elements(r->'filters') f WHERE NOT CASE f->>'name'
        WHEN '' THEN p.campaign_id = f->>'value'
        ELSE EXISTS (
          SELECT FROM promotion_metadata m
          WHERE m.promotion_id = p.id AND m.name = f->>'name' AND m.value = f->>'value') END);`,
  mariadb: (sent) => `
    SET SESSION group_concat_max_len = 4294967295;
    SET @r = convert(X'${sent}' USING utf8mb4) COLLATE utf8mb4_nopad_bin;
    SELECT coalesce(JSON_ARRAYAGG(JSON_OBJECT('id', p.id) ORDER BY p.created_at DESC), '[]')
    FROM (SELECT * FROM promotions ORDER BY created_at DESC LIMIT 150) AS p
    WHERE NOT EXISTS (
      SELECT 1 FROM promotion_rules u WHERE u.promotion_id = p.id AND NOT CASE
        WHEN u.kind = 'customer' THEN EXISTS (
          SELECT 1 FROM promotion_rule_customers c
          WHERE c.rule_id = u.id AND c.customer_id = JSON_VALUE(@r, '$.customer.id'))
        WHEN u.kind = 'metadata' THEN coalesce(JSON_VALUE(@r, concat('$.metadata.', JSON_QUOTE(u.name))) = u.value, 0)
        WHEN u.kind IN ('product', 'sku') THEN (
          SELECT coalesce(sum(i.quantity), 0)
          FROM JSON_TABLE(@r, '$.order.items[*]' COLUMNS (
            product_id VARCHAR(100) PATH '$.product_id', sku_id VARCHAR(100) PATH '$.sku_id',
            quantity BIGINT PATH '$.quantity' DEFAULT '1' ON EMPTY)) i
          WHERE if(u.kind = 'sku', i.sku_id, i.product_id) = u.item_id) >= u.quantity
        ELSE 1 END)
    AND NOT EXISTS (
      SELECT 1 FROM JSON_TABLE(@r, '$.filters[*]' COLUMNS (
        name VARCHAR(100) PATH '$.name', value VARCHAR(1000) PATH '$.value')) f
      WHERE NOT CASE f.name
        WHEN '' THEN p.campaign_id = f.value
        ELSE EXISTS (
          SELECT 1 FROM promotion_metadata m
          WHERE m.promotion_id = p.id AND m.name = f.name AND m.value = f.value) END);`,
};

/** Creates a deployment that answers each request by one query. */
function createSqlDeployment({ run }: Database, name: DatabaseName, change = (sql: string) => sql): Answer {
  return (request) => {
    const { query, body } = parseRequest(request);
    const filters = query.flatMap(([parameter, value]) => {
      const subject = parseFilterParameter(parameter);
      return subject === undefined ? [] : [{ name: subject.on === 'campaign' ? '' : subject.key, value }];
    });
    const sent = Buffer.from(JSON.stringify({ ...(body as object), filters })).toString('hex');
    const result = run(change(selections[name](sent)));
    return { status: 200, headers: [['content-type', 'application/json']], body: `{"data":${result}}` };
  };
}

for (const name of databaseNames)
  test(`An export from ${name} certifies a deployment on that database`, { tag: '@long' }, async () => {
    test.skip(!isInstalled(name), `${name} is not installed`);
    const world = createData('awkward');
    const database = await startDatabase(name);
    try {
      fillTables(database, name, world);
      const file = test.info().outputPath('shop.json');
      writeFileSync(file, database.run(readExample(`${name}.sql`)));
      const suite = loadSuite(packageCasesFolder, { data: { file } });
      expect(suite.world.tiers.map(normalize)).toEqual(world.tiers.map(normalize));
      const cases = suite.cases.filter(({ kind }) => kind === 'requirement');
      const certify = (change?: (sql: string) => string) =>
        certifyInProcess(createSqlDeployment(database, name, change), { suite: { ...suite, cases } });
      const { certificate } = await certify();
      expect(certificate.verdict, renderUnpassed(certificate)).toBe('conforms');
      const wrong = await certify((sql) => sql.replace('LIMIT 150', 'LIMIT 149'));
      expect(wrong.certificate.verdict).toBe('does-not-conform');
    } finally {
      await database.stop();
    }
  });

function normalize({ rules, metadata, created_at, ...tier }: Tier) {
  const normalized = rules.map((rule) => {
    if (rule.kind === 'other') return { kind: 'other' };
    return rule.kind === 'customer' ? { kind: rule.kind, any_of: new Set(rule.any_of) } : rule;
  });
  return { ...tier, created_at: Date.parse(created_at), metadata: new Map(Object.entries(metadata)), normalized };
}
