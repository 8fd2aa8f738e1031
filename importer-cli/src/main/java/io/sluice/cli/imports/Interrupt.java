package io.sluice.cli.imports;

import java.util.concurrent.TimeUnit;

/**
 * Turns a termination signal (Ctrl-C) into an interrupt of the importing thread, and gives it 10 s to undo the import.
 * If that is not enough, the next process that opens the store cleans up.
 */
final class Interrupt implements AutoCloseable {
    private static final long UNDO_MILLIS = TimeUnit.SECONDS.toMillis(10);

    private final Thread importing;
    private final Thread hook = new Thread(this::interrupt, "interrupt");

    private Interrupt(Thread importing) {
        this.importing = importing;
    }

    static Interrupt ofCurrentThread() {
        Interrupt interrupt = new Interrupt(Thread.currentThread());
        Runtime.getRuntime().addShutdownHook(interrupt.hook);
        return interrupt;
    }

    private void interrupt() {
        importing.interrupt();
        try {
            importing.join(UNDO_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The process is terminating, and the hook waits for this thread.
            return;
        }
    }
}
