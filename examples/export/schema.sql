-- The tables that the exports of this folder read. Replace them by yours: PostgreSQL and MariaDB both take these.
-- `created_at` is in UTC. In MariaDB, the default collations ignore letter case, accents and spaces at the end: use one
-- that ends in `_nopad_bin`, or the deployment returns promotions for other texts than those of their rules.

CREATE TABLE customers (id VARCHAR(100) PRIMARY KEY);
CREATE TABLE products (id VARCHAR(100) PRIMARY KEY);
CREATE TABLE skus (id VARCHAR(100) PRIMARY KEY, product_id VARCHAR(100) NOT NULL REFERENCES products (id));
CREATE TABLE categories (id VARCHAR(100) PRIMARY KEY, name VARCHAR(200) NOT NULL);
CREATE TABLE campaigns (id VARCHAR(100) PRIMARY KEY, name VARCHAR(200) NOT NULL);
CREATE TABLE campaign_categories (
  campaign_id VARCHAR(100) NOT NULL REFERENCES campaigns (id),
  category_id VARCHAR(100) NOT NULL REFERENCES categories (id),
  PRIMARY KEY (campaign_id, category_id)
);
CREATE TABLE promotions (
  id VARCHAR(100) PRIMARY KEY,
  campaign_id VARCHAR(100) NOT NULL REFERENCES campaigns (id),
  name VARCHAR(200) NOT NULL,
  created_at TIMESTAMP(3) NOT NULL
);
CREATE TABLE promotion_metadata (
  promotion_id VARCHAR(100) NOT NULL REFERENCES promotions (id),
  name VARCHAR(100) NOT NULL,
  value VARCHAR(1000) NOT NULL,
  PRIMARY KEY (promotion_id, name)
);
-- All rules of a promotion must hold.
CREATE TABLE promotion_rules (
  id INTEGER PRIMARY KEY,
  promotion_id VARCHAR(100) NOT NULL REFERENCES promotions (id),
  kind VARCHAR(20) NOT NULL,
  -- For the kinds `product` and `sku`.
  item_id VARCHAR(100),
  quantity INTEGER,
  -- For the kinds `metadata` and `order_metadata`.
  name VARCHAR(100),
  value VARCHAR(1000)
);
-- For the kind `customer`: one of these.
CREATE TABLE promotion_rule_customers (
  rule_id INTEGER NOT NULL REFERENCES promotion_rules (id),
  customer_id VARCHAR(100) NOT NULL REFERENCES customers (id),
  PRIMARY KEY (rule_id, customer_id)
);
