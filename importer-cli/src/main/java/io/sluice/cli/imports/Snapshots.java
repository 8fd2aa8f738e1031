package io.sluice.cli.imports;

import io.sluice.cli.progress.ProgressSnapshot;
import io.sluice.importer.job.ImportProgress;
import io.sluice.importer.job.ImportProgress.Phase;
import java.util.Locale;
import java.util.function.Supplier;

/** Converts an import's progress for the progress line: bytes of input, or bytes of KVs during the merge. */
final class Snapshots implements Supplier<ProgressSnapshot> {
    private final ImportProgress progress;
    private final long startNanos = System.nanoTime();

    Snapshots(ImportProgress progress) {
        this.progress = progress;
    }

    @Override
    public ProgressSnapshot get() {
        Phase phase = progress.phase();
        boolean merging = phase == Phase.MERGE;
        return new ProgressSnapshot(
                phase.name().toLowerCase(Locale.ROOT),
                merging ? progress.mergedBytes() : progress.bytesRead(),
                merging ? progress.mergeTotalBytes() : progress.bytesTotal(),
                progress.rows(),
                System.nanoTime() - startNanos,
                progress.limiter());
    }
}
