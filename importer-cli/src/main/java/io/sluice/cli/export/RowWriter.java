package io.sluice.cli.export;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes rows into one file. For one thread. Closing releases memory; it neither finishes nor closes the file. */
interface RowWriter extends Closeable {
    /**
     * Writes one row.
     *
     * @param row one text datum per column of the table, null for NULL
     * @throws io.sluice.model.error.BadInputException if the format has no form for a value
     */
    void write(List<@Nullable String> row) throws IOException;

    /** Writes all that is buffered and the end of the file. No row may follow. */
    void finish() throws IOException;
}
