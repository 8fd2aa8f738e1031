package io.sluice.importer.job;

/** Measures the time that one worker spends in each stage. For one thread. */
final class StageClock {
    private final ImportProgress progress;
    private Stage stage = Stage.SOURCE;
    private long sinceNanos = System.nanoTime();

    StageClock(ImportProgress progress) {
        this.progress = progress;
    }

    /** Ends the current stage and starts another. */
    void enter(Stage next) {
        long now = System.nanoTime();
        progress.spent(stage, now - sinceNanos);
        stage = next;
        sinceNanos = now;
    }
}
