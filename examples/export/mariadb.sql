-- Prints the tables of schema.sql as a data file. Only reads.
--
--   mariadb --batch --raw --skip-column-names --default-character-set=utf8mb4 shop < mariadb.sql > shop.json

-- Lists are cut at this length.
SET SESSION group_concat_max_len = 4294967295, SESSION time_zone = '+00:00';

-- JSON_COMPACT: the result of a subquery or of CASE is a text otherwise.
SELECT JSON_OBJECT(
  'customers', JSON_COMPACT((SELECT coalesce(JSON_ARRAYAGG(JSON_OBJECT('id', id) ORDER BY id), '[]') FROM customers)),
  'products', JSON_COMPACT((SELECT coalesce(JSON_ARRAYAGG(JSON_OBJECT('id', id) ORDER BY id), '[]') FROM products)),
  'skus', JSON_COMPACT((
    SELECT coalesce(JSON_ARRAYAGG(JSON_OBJECT('id', id, 'product_id', product_id) ORDER BY id), '[]') FROM skus
  )),
  'categories', JSON_COMPACT((
    SELECT coalesce(JSON_ARRAYAGG(JSON_OBJECT('id', id, 'name', name) ORDER BY id), '[]') FROM categories
  )),
  'campaigns', JSON_COMPACT((
    SELECT coalesce(JSON_ARRAYAGG(JSON_OBJECT('id', c.id, 'name', c.name, 'category_ids', JSON_COMPACT((
      SELECT coalesce(JSON_ARRAYAGG(category_id ORDER BY category_id), '[]')
      FROM campaign_categories WHERE campaign_id = c.id
    ))) ORDER BY c.id), '[]')
    FROM campaigns c
  )),
  'tiers', JSON_COMPACT((
    SELECT coalesce(JSON_ARRAYAGG(JSON_OBJECT(
      'id', p.id,
      'campaign_id', p.campaign_id,
      'name', p.name,
      'created_at', date_format(p.created_at, '%Y-%m-%dT%H:%i:%s.%fZ'),
      'metadata', JSON_COMPACT((
        SELECT coalesce(JSON_OBJECTAGG(name, value), '{}') FROM promotion_metadata WHERE promotion_id = p.id
      )),
      'rules', JSON_COMPACT((
        SELECT coalesce(JSON_ARRAYAGG(JSON_COMPACT(CASE r.kind
          WHEN 'customer' THEN JSON_OBJECT('kind', 'customer', 'any_of', JSON_COMPACT((
            SELECT coalesce(JSON_ARRAYAGG(customer_id ORDER BY customer_id), '[]')
            FROM promotion_rule_customers WHERE rule_id = r.id
          )))
          WHEN 'product' THEN JSON_OBJECT('kind', 'product', 'id', r.item_id, 'at_least', r.quantity)
          WHEN 'sku' THEN JSON_OBJECT('kind', 'sku', 'id', r.item_id, 'at_least', r.quantity)
          WHEN 'metadata' THEN JSON_OBJECT('kind', 'metadata', 'key', r.name, 'is', r.value)
          WHEN 'order_metadata' THEN JSON_OBJECT('kind', 'order_metadata', 'key', r.name, 'includes', r.value)
          -- What no other kind expresses.
          ELSE JSON_OBJECT('kind', 'other', 'description', r.kind)
        END) ORDER BY r.id), '[]')
        FROM promotion_rules r WHERE r.promotion_id = p.id
      ))
    ) ORDER BY p.created_at DESC), '[]')
    FROM promotions p
  ))
) AS data_file;
