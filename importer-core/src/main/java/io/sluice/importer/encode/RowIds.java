package io.sluice.importer.encode;

import io.sluice.model.error.BadInputException;
import io.sluice.model.schema.TableDef;

/**
 * Computes the hidden row ids of tables without a primary key: the file's ordinal in the high bits, the record's byte
 * offset in the low bits. They are unique, ascend with the input, and depend on the input alone, not on splits, workers
 * or modes.
 */
public final class RowIds {
    /** 2^40 bytes: 1 TiB for one file, which leaves room for 2^23 files below the sign bit. */
    private static final int OFFSET_BITS = 40;

    private final int column;

    public RowIds(TableDef table) {
        int hidden = -1;
        for (int i = 0; i < table.columns().size(); i++) {
            if (table.columns().get(i).hidden()) {
                hidden = i;
            }
        }
        column = hidden;
    }

    /** Position of the hidden column, or -1 when the table has a primary key of its own. */
    public int column() {
        return column;
    }

    /**
     * The row id of the record at a byte offset of an input file.
     *
     * @throws BadInputException if the offset is 1 TiB or more: the id would be that of a record of the next file
     */
    public static long of(int fileOrdinal, long byteOffset) {
        if (byteOffset >>> OFFSET_BITS != 0) {
            throw new BadInputException("input " + (fileOrdinal + 1L) + ", byte " + byteOffset
                    + ": rows of a table without a primary key are numbered by their place in the first 1 TiB of an input;"
                    + " split it into several files, or declare a primary key");
        }
        return ((long) fileOrdinal << OFFSET_BITS) + byteOffset;
    }
}
