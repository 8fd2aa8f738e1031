CREATE TABLE orders (
  o_id INT4 NOT NULL,
  o_d_id INT4 NOT NULL,
  o_w_id INT4 NOT NULL,
  o_c_id INT4,
  o_entry_d TIMESTAMP,
  o_carrier_id INT4,
  o_ol_cnt INT4,
  o_all_local INT4,
  PRIMARY KEY (o_w_id, o_d_id, o_id DESC)
);

CREATE UNIQUE INDEX orders_customer_idx ON orders (o_w_id, o_d_id, o_c_id, o_id DESC)
  STORING (o_entry_d, o_carrier_id);
