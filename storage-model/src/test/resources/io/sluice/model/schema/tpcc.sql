-- The nine tables of TPC-C, with the types of its clause 1.3 in SQL.
CREATE TABLE warehouse (
    w_id       INT8 NOT NULL PRIMARY KEY,
    w_name     VARCHAR(10),
    w_street_1 VARCHAR(20),
    w_street_2 VARCHAR(20),
    w_city     VARCHAR(20),
    w_state    CHAR(2),
    w_zip      CHAR(9),
    w_tax      DECIMAL(4,4),
    w_ytd      DECIMAL(12,2)
);

CREATE TABLE district (
    d_id        INT8 NOT NULL,
    d_w_id      INT8 NOT NULL REFERENCES warehouse (w_id),
    d_name      VARCHAR(10),
    d_street_1  VARCHAR(20),
    d_street_2  VARCHAR(20),
    d_city      VARCHAR(20),
    d_state     CHAR(2),
    d_zip       CHAR(9),
    d_tax       DECIMAL(4,4),
    d_ytd       DECIMAL(12,2),
    d_next_o_id INT8,
    PRIMARY KEY (d_w_id, d_id)
);

CREATE TABLE customer (
    c_id           INT8 NOT NULL,
    c_d_id         INT8 NOT NULL,
    c_w_id         INT8 NOT NULL,
    c_first        VARCHAR(16),
    c_middle       CHAR(2),
    c_last         VARCHAR(16),
    c_street_1     VARCHAR(20),
    c_street_2     VARCHAR(20),
    c_city         VARCHAR(20),
    c_state        CHAR(2),
    c_zip          CHAR(9),
    c_phone        CHAR(16),
    c_since        TIMESTAMP,
    c_credit       CHAR(2),
    c_credit_lim   DECIMAL(12,2),
    c_discount     DECIMAL(4,4),
    c_balance      DECIMAL(12,2),
    c_ytd_payment  DECIMAL(12,2),
    c_payment_cnt  INT8,
    c_delivery_cnt INT8,
    c_data         VARCHAR(500),
    PRIMARY KEY (c_w_id, c_d_id, c_id),
    INDEX customer_idx (c_w_id, c_d_id, c_last, c_first),
    CONSTRAINT customer_district FOREIGN KEY (c_w_id, c_d_id) REFERENCES district
);

-- No primary key: history rows are told apart by a hidden row id.
CREATE TABLE history (
    h_c_id   INT8,
    h_c_d_id INT8,
    h_c_w_id INT8,
    h_d_id   INT8,
    h_w_id   INT8,
    h_date   TIMESTAMP,
    h_amount DECIMAL(6,2),
    h_data   VARCHAR(24)
);

CREATE TABLE "order" (
    o_id         INT8 NOT NULL,
    o_d_id       INT8 NOT NULL,
    o_w_id       INT8 NOT NULL,
    o_c_id       INT8,
    o_entry_d    TIMESTAMP,
    o_carrier_id INT8,
    o_ol_cnt     INT8,
    o_all_local  INT8,
    PRIMARY KEY (o_w_id, o_d_id, o_id DESC),
    UNIQUE INDEX order_idx (o_w_id, o_d_id, o_c_id, o_id DESC) STORING (o_entry_d, o_carrier_id)
);

CREATE TABLE new_order (
    no_o_id INT8 NOT NULL,
    no_d_id INT8 NOT NULL,
    no_w_id INT8 NOT NULL,
    PRIMARY KEY (no_w_id, no_d_id, no_o_id)
);

CREATE TABLE item (
    i_id    INT8 NOT NULL,
    i_im_id INT8,
    i_name  VARCHAR(24),
    i_price DECIMAL(5,2),
    i_data  VARCHAR(50),
    PRIMARY KEY (i_id)
);

CREATE TABLE stock (
    s_i_id       INT8 NOT NULL,
    s_w_id       INT8 NOT NULL,
    s_quantity   INT8,
    s_dist_01    CHAR(24),
    s_dist_02    CHAR(24),
    s_dist_03    CHAR(24),
    s_dist_04    CHAR(24),
    s_dist_05    CHAR(24),
    s_dist_06    CHAR(24),
    s_dist_07    CHAR(24),
    s_dist_08    CHAR(24),
    s_dist_09    CHAR(24),
    s_dist_10    CHAR(24),
    s_ytd        INT8,
    s_order_cnt  INT8,
    s_remote_cnt INT8,
    s_data       VARCHAR(50),
    PRIMARY KEY (s_w_id, s_i_id),
    INDEX (s_i_id)
);

CREATE TABLE order_line (
    ol_o_id        INT8 NOT NULL,
    ol_d_id        INT8 NOT NULL,
    ol_w_id        INT8 NOT NULL,
    ol_number      INT8 NOT NULL,
    ol_i_id        INT8 NOT NULL,
    ol_supply_w_id INT8,
    ol_delivery_d  TIMESTAMP,
    ol_quantity    INT8,
    ol_amount      DECIMAL(6,2),
    ol_dist_info   CHAR(24),
    PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id DESC, ol_number)
);

CREATE INDEX order_line_fk ON order_line (ol_supply_w_id, ol_i_id) STORING (ol_amount);
