package io.sluice.importer.job.read;

import io.sluice.importer.job.ImportProgress;
import io.sluice.importer.job.Stage;

/** Measures the time that one worker spends in each stage. For one thread. */
public final class StageClock {
    private final ImportProgress progress;
    private Stage stage = Stage.SOURCE;
    private long sinceNanos = System.nanoTime();

    public StageClock(ImportProgress progress) {
        this.progress = progress;
    }

    /** Ends the current stage and starts another. */
    public void enter(Stage next) {
        long now = System.nanoTime();
        progress.spent(stage, now - sinceNanos);
        stage = next;
        sinceNanos = now;
    }
}
