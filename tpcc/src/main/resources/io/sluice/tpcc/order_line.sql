CREATE TABLE order_line (
  ol_o_id INT4 NOT NULL,
  ol_d_id INT4 NOT NULL,
  ol_w_id INT4 NOT NULL,
  ol_number INT4 NOT NULL,
  ol_i_id INT4 NOT NULL,
  ol_supply_w_id INT4,
  ol_delivery_d TIMESTAMP,
  ol_quantity INT4,
  ol_amount DECIMAL(6,2),
  ol_dist_info CHAR(24),
  PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id DESC, ol_number),
  INDEX order_line_stock_idx (ol_supply_w_id, ol_i_id)
);
