package io.sluice.cli.imports;

import io.sluice.cli.progress.ProgressSnapshot;
import io.sluice.importer.job.ImportProgress;
import io.sluice.importer.job.ImportProgress.Phase;
import java.util.Locale;
import java.util.function.Supplier;

/** An import's progress as the progress line shows it: bytes of the input, and in the merge bytes of KVs. */
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
