CREATE TABLE new_order (
  no_o_id INT4 NOT NULL,
  no_d_id INT4 NOT NULL,
  no_w_id INT4 NOT NULL,
  PRIMARY KEY (no_w_id, no_d_id, no_o_id DESC)
);
