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
import io.sluice.importer.source.SpreadSample;
import io.sluice.model.row.Row;
import io.sluice.model.schema.Table;
import java.util.ArrayList;
import java.util.List;

/**
 * Samples the inputs, at their beginnings or all over them: decodes and encodes their rows as an import does, on one
 * thread, and keeps no KVs. It serves estimates, not checks: bad rows are counted and skipped.
 */
public final class InputScan implements RowConsumer {
    /** Most files of a scan; of more files it takes an evenly spread choice. */
    private static final int MOST_FILES = 64;

    private static final int SPLIT_BYTES = 256 << 10;

    /**
     * Places of a sample of all input, and bytes read at each. With 64 places, a sampled share of ordered input is off
     * by at most 1/64 of the input; the rows of 4 MiB take some 50 ms.
     */
    private static final int PLACES = 64;

    private static final int PLACE_BYTES = 64 << 10;

    /** Places of remote inputs; each costs a request. */
    private static final int REMOTE_PLACES = 24;

    /** An input that can be read from its start only may be a sixteenth of all input. */
    private static final int MOST_UNKNOWN = 16;

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

    /**
     * Scans places that are spread evenly over all input.
     *
     * @param targets targets of the KVs, one per index in the table's order
     * @return false if a large part of the input can be read only from its start: compressed files, pipes, row groups,
     *     and formats whose records cannot be found from their middle. Targets may have got some KVs then
     */
    public static boolean spread(
            Table table, List<InputFile> inputs, InputFormat format, List<? extends KvTarget> targets) {
        if (!possible(inputs)) {
            return false;
        }
        List<InputFile> files = some(inputs);
        long total = files.stream().mapToLong(InputFile::sizeBytes).sum();
        boolean oneRecord = format instanceof InputFormat.Json json && json.array();
        InputScan running = new InputScan(table, targets);
        SplitDecoder decoder = format.decoder(table.def(), ImportSettings.MAX_RECORD_BYTES);
        Split split = new Split(SPLIT_BYTES);
        for (InputFile file : files) {
            int most = file.origin().remote() ? REMOTE_PLACES : PLACES;
            int places = (int) Math.max(1, Math.round((double) most * file.sizeBytes() / Math.max(1, total)));
            InputFile sample =
                    places > 1 && !oneRecord ? SpreadSample.of(file, format.framing(), places, PLACE_BYTES) : null;
            if (sample == null && file.sizeBytes() > Math.max(total / MOST_UNKNOWN, PLACE_BYTES)) {
                return false;
            }
            running.scan(sample == null ? file : sample, format, decoder, split, (long) places * PLACE_BYTES);
        }
        return running.rows > 0;
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
