-- For DuckDB: 6,000,000 rows like those of TPC-H's lineitem, as CSV and as Parquet.
--   duckdb < benchmarks/parquet/lineitem-data.sql
CREATE TABLE li AS SELECT
  (i // 4)::BIGINT * 8 + (i // 4) % 8 AS l_orderkey,
  (hash(i) % 200000 + 1)::BIGINT AS l_partkey,
  (hash(i + 7) % 10000 + 1)::BIGINT AS l_suppkey,
  (i % 4 + 1)::INTEGER AS l_linenumber,
  (hash(i + 1) % 50 + 1)::DECIMAL(15, 2) AS l_quantity,
  (hash(i + 2) % 10000000 / 100.0)::DECIMAL(15, 2) AS l_extendedprice,
  (hash(i + 3) % 11 / 100.0)::DECIMAL(15, 2) AS l_discount,
  (hash(i + 4) % 9 / 100.0)::DECIMAL(15, 2) AS l_tax,
  ['A', 'N', 'R'][1 + (hash(i + 5) % 3)::INT] AS l_returnflag,
  ['O', 'F'][1 + (hash(i + 6) % 2)::INT] AS l_linestatus,
  DATE '1992-01-02' + (hash(i + 8) % 2500)::INT AS l_shipdate,
  DATE '1992-01-31' + (hash(i + 9) % 2500)::INT AS l_commitdate,
  DATE '1992-01-04' + (hash(i + 10) % 2500)::INT AS l_receiptdate,
  ['DELIVER IN PERSON', 'COLLECT COD', 'NONE', 'TAKE BACK RETURN'][1 + (hash(i + 11) % 4)::INT] AS l_shipinstruct,
  ['TRUCK', 'MAIL', 'REG AIR', 'AIR', 'FOB', 'RAIL', 'SHIP'][1 + (hash(i + 12) % 7)::INT] AS l_shipmode,
  substr('carefully final packages above the quick deposits are furiously even requests x',
    1 + (hash(i + 13) % 30)::INT, 10 + (hash(i + 14) % 34)::INT) AS l_comment
FROM range(6000000) t(i);
COPY li TO 'lineitem.csv' (HEADER false);
COPY li TO 'lineitem.parquet' (FORMAT parquet, ROW_GROUP_SIZE 245760);
