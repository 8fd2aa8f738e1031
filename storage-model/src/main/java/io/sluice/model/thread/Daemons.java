package io.sluice.model.thread;

import java.util.concurrent.ThreadFactory;

/** Creates daemon threads, which do not keep a process from its end. */
public final class Daemons {
    private Daemons() {}

    /** Creates a thread, which the caller starts. */
    public static Thread thread(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    /** Creates threads that all have one name. */
    public static ThreadFactory named(String name) {
        return task -> thread(name, task);
    }
}
