package io.sluice.sampler;

import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.job.Forecast;
import io.sluice.importer.job.InputScan;
import io.sluice.importer.source.InputFile;
import io.sluice.model.schema.Table;
import java.util.ArrayList;
import java.util.List;

/**
 * An estimate of the whole input from a sample of its beginning. Sizes are extrapolated from the sample. The order is
 * that of the sample: an index whose keys wrap around later, such as a secondary index of a table written part by part,
 * seems more ordered than it is.
 *
 * @param seen the sampled input
 * @param indexes estimated size of the whole input per index, the primary first
 */
public record InputSample(InputScan.Seen seen, List<Forecast.IndexSize> indexes) {
    public InputSample {
        indexes = List.copyOf(indexes);
    }

    /**
     * Samples about {@code mostBytes} bytes of the input.
     *
     * @param inputs rereadable inputs: {@link InputScan#possible}
     */
    public static InputSample at(Table table, List<InputFile> inputs, InputFormat format, long mostBytes) {
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
        return new InputSample(seen, indexes);
    }

    /** Estimated number of rows of the whole input. */
    public long rows() {
        return Math.round(seen.rows() * seen.scale());
    }

    /** Whether the sample is the whole input, so that sizes are exact. */
    public boolean whole() {
        return seen.bytes() >= seen.totalBytes();
    }
}
