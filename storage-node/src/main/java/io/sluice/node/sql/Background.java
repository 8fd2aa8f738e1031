package io.sluice.node.sql;

import io.sluice.api.sql.Statement;
import io.sluice.api.sql.StatementException;
import io.sluice.api.sql.StatementText;
import io.sluice.node.transaction.Transaction;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The statements of one transaction that run in the background. A statement starts when all that came before it, and on
 * which it depends, have ended; so what each of them does is what it would do if they ran one after the other.
 *
 * <p>When one fails, those that came after it and have not started never start. Those that came before it do, so that
 * the earliest failure is the one that running them in turn would have met.
 *
 * <p>One thread submits and settles; any may {@link #stop}.
 */
final class Background {
    private static final int MAX_EXCERPT = 80;

    private final Transaction transaction;
    private final Executor executor;
    private final SqlSettings settings;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition ended = lock.newCondition();
    /** Submitted and not ended, in that order. */
    private final List<Entry> pending = new ArrayList<>();
    /** Siblings of the transaction that no thread uses. */
    private final Deque<Transaction> idle = new ArrayDeque<>();

    private int submitted;
    private boolean stopped;
    private @Nullable Failure earliest;

    /** For one transaction. */
    Background(Transaction transaction, Executor executor, SqlSettings settings) {
        this.transaction = transaction;
        this.executor = executor;
        this.settings = settings;
    }

    /** A statement on its way. */
    private static final class Entry {
        private final int number;
        private final Statement statement;
        private final StatementText text;
        private final StatementSpans spans;
        private final List<Entry> waiting = new ArrayList<>();
        private int blockers;

        Entry(int number, Statement statement, StatementText text, StatementSpans spans) {
            this.number = number;
            this.statement = statement;
            this.text = text;
            this.spans = spans;
        }
    }

    private record Failure(int number, StatementText text, RuntimeException cause) {}

    /** Takes a statement; waits while too many are pending. What goes wrong with it is told by {@link #barrier}. */
    void submit(Statement statement, StatementText text) {
        int number = ++submitted;
        StatementSpans spans;
        try {
            spans = StatementSpans.of(transaction, statement);
        } catch (RuntimeException e) {
            fail(new Failure(number, text, e));
            return;
        }
        Entry entry = new Entry(number, statement, text, spans);
        lock.lock();
        try {
            while (pending.size() >= settings.parallel().queued()) {
                ended.awaitUninterruptibly();
            }
            if (mayNotStart(entry)) {
                return;
            }
            for (Entry before : pending) {
                if (!before.spans.independentOf(spans)) {
                    before.waiting.add(entry);
                    entry.blockers++;
                }
            }
            pending.add(entry);
            if (entry.blockers > 0) {
                return;
            }
        } finally {
            lock.unlock();
        }
        start(entry);
    }

    /** The lock is held. */
    private boolean mayNotStart(Entry entry) {
        return stopped || (earliest != null && earliest.number() < entry.number);
    }

    private void start(Entry entry) {
        try {
            executor.execute(() -> run(entry));
        } catch (RejectedExecutionException e) {
            fail(new Failure(entry.number, entry.text, new IllegalStateException("the store is closed", e)));
            end(entry);
        }
    }

    private void run(Entry entry) {
        Transaction mine = take(entry);
        if (mine != null) {
            try {
                // What it returns nobody wants to know.
                Execution.of(mine, entry.statement, settings);
            } catch (RuntimeException e) {
                fail(new Failure(entry.number, entry.text, e));
            } catch (Error e) {
                fail(new Failure(entry.number, entry.text, new IllegalStateException(e)));
                throw e;
            } finally {
                giveBack(mine);
                end(entry);
            }
        } else {
            end(entry);
        }
    }

    private @Nullable Transaction take(Entry entry) {
        lock.lock();
        try {
            if (mayNotStart(entry)) {
                return null;
            }
            Transaction free = idle.pollFirst();
            return free == null ? transaction.sibling() : free;
        } finally {
            lock.unlock();
        }
    }

    private void giveBack(Transaction mine) {
        lock.lock();
        try {
            idle.addFirst(mine);
        } finally {
            lock.unlock();
        }
    }

    private void fail(Failure failure) {
        lock.lock();
        try {
            if (earliest == null || failure.number() < earliest.number()) {
                earliest = failure;
            }
        } finally {
            lock.unlock();
        }
    }

    private void end(Entry entry) {
        List<Entry> ready = new ArrayList<>();
        lock.lock();
        try {
            pending.remove(entry);
            for (Entry next : entry.waiting) {
                if (--next.blockers == 0) {
                    ready.add(next);
                }
            }
            ended.signalAll();
        } finally {
            lock.unlock();
        }
        ready.forEach(this::start);
    }

    /**
     * Waits until all statements have ended.
     *
     * @throws StatementException by which the earliest failed; the transaction must not be committed then
     */
    void barrier() {
        await();
        Failure failure = earliest();
        if (failure == null) {
            return;
        }
        if (failure.cause() instanceof StatementException refused) {
            throw new StatementException(
                    refused.code(),
                    "statement " + failure.number() + " of those in the background, "
                            + excerpt(failure.text().text()) + ": " + refused.text());
        }
        throw failure.cause();
    }

    private @Nullable Failure earliest() {
        lock.lock();
        try {
            return earliest;
        } finally {
            lock.unlock();
        }
    }

    private static String excerpt(String text) {
        String line = text.strip().replaceAll("\\s+", " ");
        return line.length() <= MAX_EXCERPT ? line : line.substring(0, MAX_EXCERPT) + "…";
    }

    /** Lets nothing start any more. */
    void stop() {
        lock.lock();
        try {
            stopped = true;
        } finally {
            lock.unlock();
        }
    }

    /** Waits until nothing runs. */
    void await() {
        lock.lock();
        try {
            while (!pending.isEmpty()) {
                ended.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }
}
