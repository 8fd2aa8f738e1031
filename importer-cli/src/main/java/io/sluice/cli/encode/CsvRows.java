package io.sluice.cli.encode;

import io.sluice.api.error.BadInputException;
import io.sluice.api.row.Row;
import io.sluice.importer.decode.CsvFormat;
import io.sluice.importer.decode.RejectLog;
import io.sluice.importer.decode.RowConsumer;
import io.sluice.importer.decode.SplitDecoder;
import io.sluice.importer.encode.RowIds;
import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.Split;
import io.sluice.importer.source.SplitSource;
import java.util.List;

/** The rows of CSV files, read as an import reads them, by one thread and in order. */
final class CsvRows implements RowSource {
    private static final int SPLIT_BYTES = 1 << 20;

    private final List<InputFile> files;
    private final CsvFormat format;
    private final int rowIdColumn;
    private long number;

    CsvRows(List<InputFile> files, CsvFormat format) {
        this.files = files;
        this.format = format;
        this.rowIdColumn = new RowIds(format.table()).column();
    }

    @Override
    public void forEach(Rows rows) {
        SplitSource.Settings reading = new SplitSource.Settings(
                SPLIT_BYTES,
                format.maxRecordBytes(),
                format.dialect().skip(),
                format.dialect().header());
        SplitDecoder decoder = SplitDecoder.of(format);
        Split split = new Split(SPLIT_BYTES);
        try (SplitSource source = new SplitSource(files, format.dialect().framing(), reading);
                RejectLog rejects = new RejectLog(0, null)) {
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
            // Rows behind a bad one would have other numbers than they should.
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
