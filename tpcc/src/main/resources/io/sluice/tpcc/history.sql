CREATE TABLE history (
  h_c_id INT4,
  h_c_d_id INT4,
  h_c_w_id INT4,
  h_d_id INT4,
  h_w_id INT4,
  h_date TIMESTAMP,
  h_amount DECIMAL(6,2),
  h_data VARCHAR(24),
  INDEX history_customer_idx (h_c_w_id, h_c_d_id, h_c_id)
);
