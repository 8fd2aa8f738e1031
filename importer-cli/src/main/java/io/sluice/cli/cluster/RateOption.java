package io.sluice.cli.cluster;

import io.sluice.cli.memory.SizeConverter;
import io.sluice.model.error.BadInputException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** {@code --max-rate} of the commands that read and copy the rows of a cluster. */
final class RateOption {
    @Option(
            names = "--max-rate",
            paramLabel = "SIZE",
            converter = SizeConverter.class,
            description = "Most bytes to copy or compare in a second. Default: no limit.")
    @Nullable
    Long maxRate;

    /**
     * The limit; 0: none.
     *
     * @throws BadInputException if it is less than 1
     */
    long bytesPerSecond() {
        if (maxRate != null && maxRate < 1) {
            throw new BadInputException("--max-rate: must be at least 1");
        }
        return maxRate == null ? 0 : maxRate;
    }
}
