package io.sluice.sql;

import io.sluice.grammar.Statement;
import io.sluice.grammar.StatementException;
import io.sluice.grammar.StatementText;
import io.sluice.model.thread.Interrupts;
import io.sluice.sql.transaction.TaskPool;
import io.sluice.sql.transaction.Transaction;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Runs statements of one transaction in the background. A statement starts when all earlier statements that it depends
 * on have ended. So the result is the same as if they ran one after the other.
 *
 * <p>After a failure, later statements that have not started never start. Earlier statements still run, so that the
 * earliest failure is the same as in serial execution.
 *
 * <p>One thread calls {@link #submit} and {@link #barrier}; any thread may call {@link #stop}.
 */
final class Background {
    private static final int MAX_EXCERPT = 80;

    private final Transaction transaction;
    private final TaskPool pool;
    private final SqlSettings settings;
    /** Statements that have not ended, in submission order. */
    private final List<Entry> pending = new ArrayList<>();
    /** Idle siblings of the transaction. */
    private final Deque<Transaction> idle = new ArrayDeque<>();

    private int submitted;
    private boolean stopped;
    private @Nullable Failure earliest;

    /** Runs statements of this transaction on the pool's threads. */
    Background(Transaction transaction, TaskPool pool, SqlSettings settings) {
        this.transaction = transaction;
        this.pool = pool;
        this.settings = settings;
    }

    /** A submitted statement. */
    private static final class Entry {
        private final int number;
        private final Statement statement;
        private final StatementText text;
        private final StatementSpans spans;
        private final List<Entry> dependents = new ArrayList<>();
        private int blockers;

        Entry(int number, Statement statement, StatementText text, StatementSpans spans) {
            this.number = number;
            this.statement = statement;
            this.text = text;
            this.spans = spans;
        }
    }

    private record Failure(int number, StatementText text, RuntimeException cause) {}

    /** Submits a statement; blocks while too many are pending. {@link #barrier} reports its failure. */
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
        if (queued(entry)) {
            start(entry);
        }
    }

    /** Queues a statement, unless it may not start any more; returns whether it starts now. */
    private synchronized boolean queued(Entry entry) {
        awaitFewerThan(settings.parallel().queued());
        if (mayNotStart(entry)) {
            return false;
        }
        for (Entry before : pending) {
            if (!before.spans.independentOf(entry.spans)) {
                before.dependents.add(entry);
                entry.blockers++;
            }
        }
        pending.add(entry);
        return entry.blockers == 0;
    }

    /** The caller holds the monitor. */
    private boolean mayNotStart(Entry entry) {
        return stopped || (earliest != null && earliest.number() < entry.number);
    }

    private void start(Entry entry) {
        if (!pool.submit(() -> run(entry))) {
            fail(new Failure(entry.number, entry.text, new IllegalStateException("the store is closed")));
            end(entry);
        }
    }

    private void run(Entry entry) {
        Transaction own = take(entry);
        if (own != null) {
            try {
                // RETURNING NOTHING: the result is discarded.
                Execution.of(own, entry.statement, settings, null);
            } catch (RuntimeException e) {
                fail(new Failure(entry.number, entry.text, e));
            } catch (Error e) {
                fail(new Failure(entry.number, entry.text, new IllegalStateException(e)));
                throw e;
            } finally {
                release(own);
                end(entry);
            }
        } else {
            end(entry);
        }
    }

    private synchronized @Nullable Transaction take(Entry entry) {
        if (mayNotStart(entry)) {
            return null;
        }
        Transaction free = idle.pollFirst();
        return free == null ? transaction.sibling() : free;
    }

    private synchronized void release(Transaction own) {
        idle.addFirst(own);
    }

    private synchronized void fail(Failure failure) {
        if (earliest == null || failure.number() < earliest.number()) {
            earliest = failure;
        }
    }

    private void end(Entry entry) {
        ended(entry).forEach(this::start);
    }

    /** Takes a statement out of the queue; returns those that start now. */
    private synchronized List<Entry> ended(Entry entry) {
        pending.remove(entry);
        notifyAll();
        entry.dependents.forEach(next -> next.blockers--);
        return entry.dependents.stream().filter(next -> next.blockers == 0).toList();
    }

    /**
     * Waits until all statements have ended.
     *
     * @throws StatementException the earliest failure; the transaction must not be committed then
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

    private synchronized @Nullable Failure earliest() {
        return earliest;
    }

    private static String excerpt(String text) {
        String line = text.strip().replaceAll("\\s+", " ");
        return line.length() <= MAX_EXCERPT ? line : line.substring(0, MAX_EXCERPT) + "…";
    }

    /** Prevents statements that have not started from starting. */
    synchronized void stop() {
        stopped = true;
    }

    /** Waits until no statement is pending. */
    void await() {
        awaitFewerThan(1);
    }

    /** Waits until fewer statements are pending. An interrupted thread waits on, and stays interrupted. */
    private synchronized void awaitFewerThan(int count) {
        Interrupts.outlast(() -> {
            while (pending.size() >= count) {
                wait();
            }
        });
    }
}
