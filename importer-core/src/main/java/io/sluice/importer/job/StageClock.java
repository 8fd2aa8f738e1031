package io.sluice.importer.job;

/** Measures what one worker spends its time on. */
final class StageClock {
    private final ImportProgress progress;
    private Stage stage = Stage.SOURCE;
    private long sinceNanos = System.nanoTime();

    StageClock(ImportProgress progress) {
        this.progress = progress;
    }

    /** Says that the worker turns to another stage. */
    void enter(Stage next) {
        long now = System.nanoTime();
        progress.spent(stage, now - sinceNanos);
        stage = next;
        sinceNanos = now;
    }
}
