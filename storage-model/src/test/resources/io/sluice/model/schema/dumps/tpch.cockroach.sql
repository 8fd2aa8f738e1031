CREATE TABLE supplier (
    s_suppkey INT8 NOT NULL,
    s_name CHAR(25) NOT NULL,
    s_nationkey INT8 NOT NULL,
    s_acctbal FLOAT8 NOT NULL,
    CONSTRAINT "primary" PRIMARY KEY (s_suppkey ASC),
    INDEX s_nk (s_nationkey ASC),
    FAMILY "primary" (s_suppkey, s_name, s_nationkey, s_acctbal)
);
ALTER TABLE supplier ADD FOREIGN KEY (s_nationkey) REFERENCES nation (n_nationkey);
CREATE UNIQUE INDEX ON supplier (s_name) STORING (s_acctbal);
