package io.sluice.model.schema;

/** The SQL types a column can have. VARCHAR(n), CHAR(n) and TEXT are {@link #STRING} with or without a length. */
public enum TypeKind {
    BOOL,
    INT2,
    INT4,
    INT8,
    FLOAT4,
    FLOAT8,
    DECIMAL,
    STRING,
    BYTES,
    DATE,
    TIME,
    TIMESTAMP,
    TIMESTAMPTZ,
    UUID
}
