-- Prints the tables of schema.sql as a data file. Only reads.
--
--   psql -qAtX shop -f postgresql.sql > shop.json

SELECT json_build_object(
  'customers', (SELECT coalesce(json_agg(json_build_object('id', id) ORDER BY id), '[]') FROM customers),
  'products', (SELECT coalesce(json_agg(json_build_object('id', id) ORDER BY id), '[]') FROM products),
  'skus', (
    SELECT coalesce(json_agg(json_build_object('id', id, 'product_id', product_id) ORDER BY id), '[]') FROM skus
  ),
  'categories', (
    SELECT coalesce(json_agg(json_build_object('id', id, 'name', name) ORDER BY id), '[]') FROM categories
  ),
  'campaigns', (
    SELECT coalesce(json_agg(json_build_object('id', c.id, 'name', c.name, 'category_ids', (
      SELECT coalesce(json_agg(category_id ORDER BY category_id), '[]')
      FROM campaign_categories WHERE campaign_id = c.id
    )) ORDER BY c.id), '[]')
    FROM campaigns c
  ),
  'tiers', (
    SELECT coalesce(json_agg(json_build_object(
      'id', p.id,
      'campaign_id', p.campaign_id,
      'name', p.name,
      'created_at', to_char(p.created_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'metadata', (
        SELECT coalesce(json_object_agg(name, value), '{}') FROM promotion_metadata WHERE promotion_id = p.id
      ),
      'rules', (
        SELECT coalesce(json_agg(CASE r.kind
          WHEN 'customer' THEN json_build_object('kind', 'customer', 'any_of', (
            SELECT coalesce(json_agg(customer_id ORDER BY customer_id), '[]')
            FROM promotion_rule_customers WHERE rule_id = r.id
          ))
          WHEN 'product' THEN json_build_object('kind', 'product', 'id', r.item_id, 'at_least', r.quantity)
          WHEN 'sku' THEN json_build_object('kind', 'sku', 'id', r.item_id, 'at_least', r.quantity)
          WHEN 'metadata' THEN json_build_object('kind', 'metadata', 'key', r.name, 'is', r.value)
          WHEN 'order_metadata' THEN json_build_object('kind', 'order_metadata', 'key', r.name, 'includes', r.value)
          -- What no other kind expresses.
          ELSE json_build_object('kind', 'other', 'description', r.kind)
        END ORDER BY r.id), '[]')
        FROM promotion_rules r WHERE r.promotion_id = p.id
      )
    ) ORDER BY p.created_at DESC), '[]')
    FROM promotions p
  )
);
