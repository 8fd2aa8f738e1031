package io.sluice.cli.encode;

import io.sluice.importer.decode.RejectLimit;
import io.sluice.importer.decode.RejectLog;
import io.sluice.importer.decode.RejectSink;
import io.sluice.importer.decode.RowConsumer;
import io.sluice.importer.decode.SplitDecoder;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.encode.RowIds;
import io.sluice.importer.job.ImportSettings;
import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.Split;
import io.sluice.importer.source.SplitSource;
import io.sluice.model.error.BadInputException;
import io.sluice.model.row.Row;
import io.sluice.model.schema.TableDef;
import java.util.List;

/** Reads the rows of files as an import does, but in one thread and in order. */
final class InputRows {
    /** Receives rows. */
    @FunctionalInterface
    interface Rows {
        /**
         * Receives one row, which is valid only during the call.
         *
         * @param number number of the row in the input, from 1
         */
        void row(long number, Row row);
    }

    private static final int SPLIT_BYTES = 1 << 20;

    private final List<InputFile> files;
    private final InputFormat format;
    private final TableDef table;
    private final int rowIdColumn;
    private long number;

    InputRows(List<InputFile> files, InputFormat format, TableDef table) {
        this.files = files;
        this.format = format;
        this.table = table;
        this.rowIdColumn = new RowIds(table).column();
    }

    /**
     * Reads all rows.
     *
     * @throws BadInputException for the first record that is not a row of the table
     */
    void forEach(Rows rows) {
        SplitSource.Settings reading = format.reading(SPLIT_BYTES, ImportSettings.MAX_RECORD_BYTES);
        SplitDecoder decoder = format.decoder(table, ImportSettings.MAX_RECORD_BYTES);
        Split split = new Split(SPLIT_BYTES);
        RejectLog rejects = new RejectLog(RejectLimit.NONE, RejectSink.NONE);
        try (SplitSource source = new SplitSource(files, format.framing(), reading)) {
            while (source.next(split)) {
                decode(decoder, split, rejects, rows);
                if (rejects.first() != null) {
                    throw new BadInputException(rejects.first());
                }
            }
        }
    }

    private void decode(SplitDecoder decoder, Split split, RejectLog rejects, Rows rows) {
        RejectLog.SplitRejects rejected = rejects.split(split);
        boolean[] bad = new boolean[1];
        int file = split.file().ordinal();
        RowConsumer numbered = (row, byteOffset) -> {
            if (!bad[0]) {
                rows.row(++number, identified(row, file, byteOffset));
            }
        };
        rejected.finish(decoder.decode(split, numbered, reject -> {
            // Rows after a bad one would have wrong numbers.
            bad[0] = true;
            rejected.accept(reject);
        }));
    }

    private Row identified(Row row, int file, long byteOffset) {
        if (rowIdColumn >= 0) {
            row.setLong(rowIdColumn, RowIds.of(file, byteOffset));
        }
        return row;
    }
}
