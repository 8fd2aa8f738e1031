package io.sluice.importer.decode;

import io.sluice.importer.source.Framing;
import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.Split;
import io.sluice.importer.source.SplitSource;
import io.sluice.model.row.Row;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.TableDef;
import io.sluice.model.text.DatumFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Decodes files as one worker of an import does. */
public final class Decoding {
    private Decoding() {}

    /**
     * Decodes a file in splits.
     *
     * @param log takes the rejects, too, to pass them on with lines of the file
     * @return the lines or records that the decoder has counted
     */
    public static long run(
            InputFile file,
            Framing framing,
            SplitSource.Settings reading,
            SplitDecoder decoder,
            RejectLog log,
            RowConsumer rows,
            Consumer<Reject> rejects) {
        long lines = 0;
        Split split = new Split(reading.splitBytes());
        try (SplitSource source = new SplitSource(List.of(file), framing, reading)) {
            while (source.next(split)) {
                RejectLog.SplitRejects inOrder = log.split(split);
                long ofSplit = decoder.decode(split, rows, reject -> {
                    rejects.accept(reject);
                    inOrder.accept(reject);
                });
                inOrder.finish(ofSplit);
                lines += ofSplit;
            }
        }
        return lines;
    }

    /** Decodes a file in splits, without lines of the file. */
    public static void run(
            InputFile file,
            Framing framing,
            SplitSource.Settings reading,
            SplitDecoder decoder,
            RowConsumer rows,
            Consumer<Reject> rejects) {
        RejectLog log = new RejectLog(RejectLimit.UNLIMITED, RejectSink.NONE);
        long unused = run(file, framing, reading, decoder, log, rows, rejects);
    }

    /** The visible columns of a row as text, separated by {@code " | "}. */
    public static String text(Row row, TableDef table) {
        List<String> slots = new ArrayList<>();
        for (int i : table.visibleColumns()) {
            String datum = DatumFormatter.format(row, i, table.columns().get(i).type());
            slots.add(datum == null ? "NULL" : datum);
        }
        return String.join(" | ", slots);
    }

    /** A table with these columns. */
    public static TableDef table(String columns) {
        return Ddl.parse("CREATE TABLE t (" + columns + ");", "test").get(0);
    }
}
