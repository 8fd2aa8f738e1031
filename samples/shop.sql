-- Orders of a small shop: a composite primary key, the newest order of a customer first, and two secondary indexes.
CREATE TABLE orders (
  customer_id INT8 NOT NULL,
  order_no INT4 NOT NULL,
  placed_at TIMESTAMPTZ NOT NULL,
  status VARCHAR(12) NOT NULL,
  total DECIMAL(10,2) NOT NULL,
  coupon STRING,
  gift BOOL NOT NULL,
  reference UUID NOT NULL,
  note STRING,
  PRIMARY KEY (customer_id, order_no DESC),
  INDEX orders_status_idx (status, placed_at),
  UNIQUE INDEX orders_reference_idx (reference)
);
