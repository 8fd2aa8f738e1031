package io.sluice.importer.job;

import io.sluice.api.row.Row;
import io.sluice.api.schema.Table;
import io.sluice.importer.decode.RejectLimit;
import io.sluice.importer.decode.RejectLog;
import io.sluice.importer.decode.RejectSink;
import io.sluice.importer.decode.RowConsumer;
import io.sluice.importer.decode.SplitDecoder;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.encode.KvTarget;
import io.sluice.importer.encode.RowEncoding;
import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.Split;
import io.sluice.importer.source.SplitSource;
import java.util.ArrayList;
import java.util.List;

/**
 * A look at the beginnings of the inputs: their rows are decoded and encoded as an import would, by one thread, and
 * nobody keeps them. For judging an input, not for checking it: bad rows are counted and passed over.
 */
public final class InputScan implements RowConsumer {
    /** Of more files than this, some are looked at, evenly spread. */
    private static final int MOST_FILES = 64;

    private static final int SPLIT_BYTES = 256 << 10;

    private final RowEncoding encoding;
    private int fileOrdinal;
    private long rows;
    private long rejects;
    private long bytes;

    private InputScan(Table table, List<? extends KvTarget> targets) {
        encoding = new RowEncoding(table, targets);
    }

    /**
     * What was seen.
     *
     * @param bytes of the inputs that were read
     * @param rows good ones
     * @param rejects bad ones
     * @param totalBytes length of all inputs
     */
    public record Seen(long bytes, long rows, long rejects, long totalBytes) {
        /** How much more there is in all, as a factor of at least 1. */
        public double scale() {
            return bytes == 0 ? 1 : Math.max(1, (double) totalBytes / bytes);
        }
    }

    /** Whether inputs can be looked at without using them up. */
    public static boolean possible(List<InputFile> inputs) {
        return inputs.stream().allMatch(input -> input.sizeBytes() >= 0);
    }

    /**
     * Looks.
     *
     * @param inputs for which {@link #possible} holds
     * @param mostBytes how much to read, about; at least one split of each file that is looked at
     * @param targets where KVs are written, one per index in the table's order
     */
    public static Seen look(
            Table table, List<InputFile> inputs, InputFormat format, long mostBytes, List<? extends KvTarget> targets) {
        InputScan scan = new InputScan(table, targets);
        List<InputFile> files = some(inputs);
        SplitDecoder decoder = format.decoder(table.def(), ImportSettings.MAX_RECORD_BYTES);
        Split split = new Split(SPLIT_BYTES);
        for (int i = 0; i < files.size(); i++) {
            // What short files leave over goes to those behind them.
            long share = (mostBytes - scan.bytes) / (files.size() - i);
            scan.look(files.get(i), format, decoder, split, share);
        }
        long total = inputs.stream().mapToLong(InputFile::sizeBytes).sum();
        return new Seen(scan.bytes, scan.rows, scan.rejects, total);
    }

    private static List<InputFile> some(List<InputFile> inputs) {
        int files = Math.min(MOST_FILES, inputs.size());
        List<InputFile> some = new ArrayList<>();
        for (int i = 0; i < files; i++) {
            some.add(inputs.get((int) ((long) i * inputs.size() / files)));
        }
        return some;
    }

    private void look(InputFile file, InputFormat format, SplitDecoder decoder, Split split, long mostBytes) {
        fileOrdinal = file.ordinal();
        long until = bytes + Math.max(1, mostBytes);
        RejectLog log = new RejectLog(RejectLimit.UNLIMITED, RejectSink.NONE);
        SplitSource.Settings reading = format.reading(SPLIT_BYTES, ImportSettings.MAX_RECORD_BYTES);
        try (SplitSource source = new SplitSource(List.of(file), format.framing(), reading)) {
            while (bytes < until && source.next(split)) {
                RejectLog.SplitRejects rejected = log.split(split);
                rejected.finish(decoder.decode(split, this, rejected));
                bytes += split.end();
            }
        }
        rejects += log.count();
    }

    @Override
    public void row(Row row, long byteOffset) {
        encoding.encode(row, fileOrdinal, byteOffset);
        rows++;
    }
}
