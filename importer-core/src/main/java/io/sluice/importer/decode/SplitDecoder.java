package io.sluice.importer.decode;

import io.sluice.importer.source.Split;
import java.util.function.Consumer;

/** Decodes splits into rows. One per worker: it reuses its row and buffers. */
public interface SplitDecoder {
    /**
     * Decodes all records of a split, in order.
     *
     * @return number of line ends in the split
     * @throws io.sluice.model.error.BadInputException when the file's header does not fit the table
     */
    long decode(Split split, RowConsumer rows, Consumer<Reject> rejects);

    /** Creates the decoder for a dialect: the fast one for plain dialects, else that of commons-csv. */
    static SplitDecoder of(CsvFormat format) {
        return format.dialect().isPlain() ? fast(format) : commons(format);
    }

    /** Creates the fast decoder, for plain dialects only. */
    static SplitDecoder fast(CsvFormat format) {
        return new FastCsvDecoder(format);
    }

    /** Creates the decoder with commons-csv, for every dialect. */
    static SplitDecoder commons(CsvFormat format) {
        return new CommonsCsvDecoder(format);
    }
}
