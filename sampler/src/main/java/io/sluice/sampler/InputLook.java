package io.sluice.sampler;

import io.sluice.api.schema.Table;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.job.Forecast;
import io.sluice.importer.job.InputScan;
import io.sluice.importer.source.InputFile;
import java.util.ArrayList;
import java.util.List;

/**
 * What a look at the beginning of the input says about all of it. Sizes are extrapolated from what was read. The order
 * is that of the beginning: an index whose keys wrap around later (as a secondary index of a table that is written part
 * by part) looks more orderly than it is.
 *
 * @param seen what was read
 * @param indexes what all of it is expected to be, per index, the primary first
 */
public record InputLook(InputScan.Seen seen, List<Forecast.IndexSize> indexes) {
    public InputLook {
        indexes = List.copyOf(indexes);
    }

    /**
     * Reads about so many bytes.
     *
     * @param inputs that can be read again: {@link InputScan#possible}
     */
    public static InputLook at(Table table, List<InputFile> inputs, InputFormat format, long mostBytes) {
        List<OrderTarget> targets = new ArrayList<>();
        table.indexes().forEach(index -> targets.add(new OrderTarget()));
        InputScan.Seen seen = InputScan.scan(table, inputs, format, mostBytes, targets);
        List<Forecast.IndexSize> indexes = new ArrayList<>();
        for (int i = 0; i < targets.size(); i++) {
            OrderTarget target = targets.get(i);
            indexes.add(new Forecast.IndexSize(
                    table.indexes().get(i).def().name(),
                    Math.round(target.kvs() * seen.scale()),
                    Math.round(target.bytes() * seen.scale()),
                    target.overlap()));
        }
        return new InputLook(seen, indexes);
    }

    /** Rows of the whole input. */
    public long rows() {
        return Math.round(seen.rows() * seen.scale());
    }

    /** Whether everything was read, so that sizes are no estimates. */
    public boolean whole() {
        return seen.bytes() >= seen.totalBytes();
    }
}
