package io.sluice.importer.job;

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
import io.sluice.model.row.Row;
import io.sluice.model.schema.Table;
import java.util.ArrayList;
import java.util.List;

/**
 * Samples the beginnings of the inputs: decodes and encodes their rows as an import does, on one thread, and keeps no
 * KVs. It serves estimates, not checks: bad rows are counted and skipped.
 */
public final class InputScan implements RowConsumer {
    /** Most files of a scan; of more files it takes an evenly spread choice. */
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
     * The result of a scan.
     *
     * @param bytes bytes of input that were read
     * @param rows number of good rows
     * @param rejects number of bad rows
     * @param totalBytes length of all inputs
     */
    public record Seen(long bytes, long rows, long rejects, long totalBytes) {
        /** Total length over the length that was read, at least 1. */
        public double scale() {
            return bytes == 0 ? 1 : Math.max(1, (double) totalBytes / bytes);
        }
    }

    /** Whether inputs can be scanned without consuming them. */
    public static boolean possible(List<InputFile> inputs) {
        return inputs.stream().allMatch(input -> input.sizeBytes() >= 0);
    }

    /**
     * Scans the beginnings of the inputs.
     *
     * @param inputs inputs for which {@link #possible} holds
     * @param mostBytes bytes to read, about; at least one split of each chosen file
     * @param targets targets of the KVs, one per index in the table's order
     */
    public static Seen scan(
            Table table, List<InputFile> inputs, InputFormat format, long mostBytes, List<? extends KvTarget> targets) {
        InputScan running = new InputScan(table, targets);
        List<InputFile> files = some(inputs);
        SplitDecoder decoder = format.decoder(table.def(), ImportSettings.MAX_RECORD_BYTES);
        Split split = new Split(SPLIT_BYTES);
        for (int i = 0; i < files.size(); i++) {
            // Later files get the share that shorter ones leave.
            long share = (mostBytes - running.bytes) / (files.size() - i);
            running.scan(files.get(i), format, decoder, split, share);
        }
        long total = inputs.stream().mapToLong(InputFile::sizeBytes).sum();
        return new Seen(running.bytes, running.rows, running.rejects, total);
    }

    private static List<InputFile> some(List<InputFile> inputs) {
        int files = Math.min(MOST_FILES, inputs.size());
        List<InputFile> some = new ArrayList<>();
        for (int i = 0; i < files; i++) {
            some.add(inputs.get((int) ((long) i * inputs.size() / files)));
        }
        return some;
    }

    private void scan(InputFile file, InputFormat format, SplitDecoder decoder, Split split, long mostBytes) {
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
