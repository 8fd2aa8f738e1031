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
    UUID;

    /** Whether a {@code Row} holds a datum of this kind as a view of bytes. */
    public boolean isBytes() {
        return this == STRING || this == BYTES;
    }
}
