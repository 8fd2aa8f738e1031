package io.sluice.sampler;

import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.job.Forecast;
import io.sluice.importer.job.InputScan;
import io.sluice.importer.source.InputFile;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.schema.Table;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the mode of an import from a sample of the input and from the free disk space.
 *
 * @param memoryBytes memory budget of the import
 * @param workers number of worker threads
 * @param nodes number of storage nodes
 */
public record AutoMode(long memoryBytes, int workers, int nodes) {
    /** Sample size: tens of thousands of rows take a tenth of a second and show whether an index is in order. */
    private static final long SAMPLE_BYTES = 4L << 20;

    /** Input size up to which starting over is cheap: 64 MiB take two cores about half a second. */
    private static final long RESTART_BYTES = 64L << 20;

    /** Estimated KV bytes per input byte: a KV is longer than its text by headers, and a row has one per index. */
    private static final int KV_BYTES_PER_INPUT_BYTE = 2;

    /**
     * Chooses the mode of an import.
     *
     * @param work directory for sorted runs
     * @param store existing store in this process; null: the nodes are remote
     */
    public ModeChoice choose(Table table, List<InputFile> inputs, InputFormat format, Path work, @Nullable Path store) {
        if (!readableTwice(inputs)) {
            return ModeChoice.withoutSample();
        }
        long inputBytes = inputs.stream().mapToLong(InputFile::sizeBytes).sum();
        Forecast unknown = new Forecast(List.of(), memoryBytes, workers, inputBytes);
        if (inputBytes * KV_BYTES_PER_INPUT_BYTE <= unknown.runMemoryBytes()) {
            return ModeChoice.small();
        }
        InputSample sample = InputSample.at(table, inputs, format, SAMPLE_BYTES);
        Forecast forecast = new Forecast(sample.indexes(), memoryBytes, workers, inputBytes);
        return ModeChoice.of(forecast, place(work, store));
    }

    /**
     * Chooses among the modes that keep their progress when an import is interrupted or paused. Chooses mode merge only
     * if no such mode is possible, or if starting over costs seconds.
     *
     * @param work directory for temporary files
     * @param store existing store in this process; null: the nodes are remote
     */
    public ModeChoice chooseResumable(
            Table table, List<InputFile> inputs, InputFormat format, Path work, @Nullable Path store) {
        if (!readableTwice(inputs)) {
            return ModeChoice.withoutSample();
        }
        long inputBytes = inputs.stream().mapToLong(InputFile::sizeBytes).sum();
        if (inputBytes <= RESTART_BYTES) {
            return ModeChoice.small();
        }
        InputSample sample = InputSample.at(table, inputs, format, SAMPLE_BYTES);
        Forecast forecast = new Forecast(sample.indexes(), memoryBytes, workers, inputBytes);
        return ModeChoice.resumable(forecast, place(work, store));
    }

    private static boolean readableTwice(List<InputFile> inputs) {
        return InputScan.possible(inputs) && inputs.stream().allMatch(InputFile::repeatable);
    }

    private ModeChoice.Place place(Path work, @Nullable Path store) {
        try {
            FileStore local = Files.getFileStore(work);
            if (store == null) {
                return new ModeChoice.Place(nodes, local.getUsableSpace(), -1, false);
            }
            FileStore node = Files.getFileStore(store);
            return new ModeChoice.Place(1, local.getUsableSpace(), node.getUsableSpace(), local.equals(node));
        } catch (IOException e) {
            throw new OperationFailedException("the free space of " + work + " cannot be found: " + e.getMessage(), e);
        }
    }
}
