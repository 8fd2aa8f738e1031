package io.sluice.cli.export;

import io.sluice.model.row.Row;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes rows into one file. For one thread. Closing releases memory; it neither finishes nor closes the file. */
interface RowWriter extends Closeable {
    /**
     * Writes one row.
     *
     * @param datums one text datum per column of the table, null for NULL
     * @param row the same values typed; the writer must not keep it
     * @throws io.sluice.model.error.BadInputException if the format has no form for a value
     */
    void write(List<@Nullable String> datums, Row row) throws IOException;

    /** Writes all that is buffered and the end of the file. No row may follow. */
    void finish() throws IOException;
}
