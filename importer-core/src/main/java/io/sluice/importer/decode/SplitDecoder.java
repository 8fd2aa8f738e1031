package io.sluice.importer.decode;

import io.sluice.importer.source.Split;
import java.util.function.Consumer;

/** Decodes splits into rows. One per worker: it reuses its row and buffers. */
public interface SplitDecoder {
    /**
     * Decodes all records of a split, in order.
     *
     * @return how many lines end in the split
     * @throws io.sluice.api.error.BadInputException when the file's header does not fit the table
     */
    long decode(Split split, RowConsumer rows, Consumer<Reject> rejects);

    /** The decoder for a dialect: on bytes where the dialect is plain, by commons-csv where it is not. */
    static SplitDecoder of(CsvFormat format) {
        return format.dialect().isPlain() ? fast(format) : commons(format);
    }

    /** The decoder on bytes; for plain dialects only. */
    static SplitDecoder fast(CsvFormat format) {
        return new FastCsvDecoder(format);
    }

    /** The decoder by commons-csv; for every dialect. */
    static SplitDecoder commons(CsvFormat format) {
        return new CommonsCsvDecoder(format);
    }
}
