CREATE TYPE priority AS ENUM ( '1-URGENT', '5-LOW' );
CREATE SEQUENCE seq INCREMENT BY 1 MINVALUE 1 START 1 NO CYCLE;
CREATE TABLE nation(n_nationkey INTEGER NOT NULL, n_name VARCHAR NOT NULL, n_regionkey INTEGER NOT NULL, n_comment VARCHAR, PRIMARY KEY(n_nationkey));
CREATE TABLE main.lineitem(l_orderkey BIGINT NOT NULL, l_linenumber BIGINT NOT NULL, l_quantity DECIMAL(15,2) NOT NULL, l_returnflag VARCHAR DEFAULT('N'), l_shipdate DATE NOT NULL, l_priority priority, l_flags UTINYINT, l_big HUGEINT, l_tags VARCHAR[], l_at TIMESTAMP WITH TIME ZONE, l_extra STRUCT(a INTEGER, b VARCHAR), l_id BIGINT DEFAULT(nextval('seq')), CHECK((l_quantity > 0)), PRIMARY KEY(l_orderkey, l_linenumber));
CREATE INDEX lineitem_date ON lineitem(l_shipdate);
CREATE VIEW big AS SELECT * FROM lineitem WHERE l_quantity > 100;
CREATE MACRO twice(a) AS (a * 2);
