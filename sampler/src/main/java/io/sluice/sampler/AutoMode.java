package io.sluice.sampler;

import io.sluice.api.error.OperationFailedException;
import io.sluice.api.schema.Table;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.job.Forecast;
import io.sluice.importer.job.InputScan;
import io.sluice.importer.source.InputFile;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The choice of a mode by a look at the input and at the disks.
 *
 * @param memoryBytes the import's budget
 * @param workers its threads
 * @param nodes storage nodes it goes to
 */
public record AutoMode(long memoryBytes, int workers, int nodes) {
    /** Some tens of thousands of rows: a tenth of a second, and enough to see whether an index is in order. */
    private static final long LOOK_BYTES = 4L << 20;

    /** To begin over with 64 MiB takes about half a second of two cores. */
    private static final long BEGUN_OVER_BYTES = 64L << 20;

    /** KVs of a row are longer than its text, by headers, and there is one per index. */
    private static final int KV_BYTES_PER_INPUT_BYTE = 2;

    /**
     * Chooses the mode of an import.
     *
     * @param work where sorted runs would go
     * @param store the store in this process, which exists; null: the nodes are on a network
     */
    public ModeChoice choose(Table table, List<InputFile> inputs, InputFormat format, Path work, @Nullable Path store) {
        if (!readableTwice(inputs)) {
            return ModeChoice.unseen();
        }
        long inputBytes = inputs.stream().mapToLong(InputFile::sizeBytes).sum();
        Forecast unknown = new Forecast(List.of(), memoryBytes, workers, inputBytes);
        if (inputBytes * KV_BYTES_PER_INPUT_BYTE <= unknown.runMemoryBytes()) {
            return ModeChoice.small();
        }
        InputLook look = InputLook.at(table, inputs, format, LOOK_BYTES);
        Forecast forecast = new Forecast(look.indexes(), memoryBytes, workers, inputBytes);
        return ModeChoice.of(forecast, place(work, store));
    }

    /**
     * Chooses among the modes that keep what is done when an import is cut off or paused; mode merge is taken only
     * where that cannot be, or costs seconds.
     *
     * @param work where temporary files would go
     * @param store the store in this process, which exists; null: the nodes are on a network
     */
    public ModeChoice chooseResumable(
            Table table, List<InputFile> inputs, InputFormat format, Path work, @Nullable Path store) {
        if (!readableTwice(inputs)) {
            return ModeChoice.unseen();
        }
        long inputBytes = inputs.stream().mapToLong(InputFile::sizeBytes).sum();
        if (inputBytes <= BEGUN_OVER_BYTES) {
            return ModeChoice.small();
        }
        InputLook look = InputLook.at(table, inputs, format, LOOK_BYTES);
        Forecast forecast = new Forecast(look.indexes(), memoryBytes, workers, inputBytes);
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
