package io.sluice.model.schema;

/**
 * The SQL types a column can have. VARCHAR(n), CHAR(n), TEXT and ENUM are {@link #STRING}; VARBIT(n) is {@link #BIT}.
 */
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
    TIMETZ,
    TIMESTAMP,
    TIMESTAMPTZ,
    INTERVAL,
    UUID,
    INET,
    BIT,
    JSON,
    /** Values of one other type, its element type, which is neither JSON nor ARRAY. */
    ARRAY
}
