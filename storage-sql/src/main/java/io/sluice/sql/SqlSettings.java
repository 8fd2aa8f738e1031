package io.sluice.sql;

import io.sluice.model.error.BadInputException;
import io.sluice.model.thread.Backoff;

/**
 * Limits of SQL statements and sessions.
 *
 * @param memory memory limits
 * @param sessions limits of sessions
 * @param recent commits that are kept for conflict checks
 * @param parallel limits of background statements
 * @param deletes settings of DELETE on hierarchies
 * @param branches limits as a participant in distributed transactions
 */
public record SqlSettings(
        Memory memory, Sessions sessions, Recent recent, Parallel parallel, Deletes deletes, Branches branches) {
    private static final long MIB = 1L << 20;
    private static final int MAX_THREADS = 256;
    /** Threads of a coordinator of several nodes: its statements wait for the network, not for a core. */
    private static final int COORDINATOR_THREADS = 32;
    /** One batch of a typical client; with more, finding dependencies costs more than parallelism saves. */
    private static final int DEFAULT_QUEUED = 64;
    /** Takes about a quarter of a second to scan; writes of others to the span conflict during that time. */
    public static final long DEFAULT_CHUNK_KVS = 1 << 20;
    /** Far longer than the time from prepare to decision, yet short for a client that waits for the rows. */
    private static final long DEFAULT_ASK_AFTER_MILLIS = 5_000;

    /**
     * Waits between tries of a transaction that conflicted. Their sum, about 10 s, is longer than a branch stays in
     * doubt before its node asks for the outcome.
     */
    public static final Backoff CONFLICT_BACKOFF = new Backoff(1, 250, 64);

    /**
     * Memory limits in bytes.
     *
     * @param transactionBytes limit of one transaction: its write set and read set
     * @param resultBytes limit of one statement's result
     * @param sortBytes limit of the rows and groups that a SELECT keeps to sort, group or compare them
     */
    public record Memory(long transactionBytes, long resultBytes, long sortBytes) {
        public Memory {
            requirePositive("memory of a transaction", transactionBytes);
            requirePositive("memory of a result", resultBytes);
            requirePositive("memory to sort and group", sortBytes);
        }

        /** As much memory to sort and group as for a transaction. */
        public Memory(long transactionBytes, long resultBytes) {
            this(transactionBytes, resultBytes, transactionBytes);
        }
    }

    /**
     * Limits of sessions.
     *
     * @param most limit of open sessions
     * @param idleMillis time after which an idle session ends
     */
    public record Sessions(int most, long idleMillis) {
        public Sessions {
            requirePositive("sessions", most);
            requirePositive("idle time in ms", idleMillis);
        }
    }

    /**
     * Limits of the commits that are kept for conflict checks. A transaction that began before the oldest of them
     * cannot commit.
     */
    public record Recent(int commits, long bytes) {
        public Recent {
            requirePositive("commits to remember", commits);
            requirePositive("memory of commits", bytes);
        }
    }

    /**
     * Limits of background statements.
     *
     * @param threads threads of the node for the statements of all sessions
     * @param queued limit of pending statements per session; at the limit, the session blocks before it takes another
     */
    public record Parallel(int threads, int queued) {
        public Parallel {
            if (threads < 1 || threads > MAX_THREADS || queued < 1) {
                throw new BadInputException("statements in the background: " + threads + " threads and " + queued
                        + " queued in a session; there must be 1 to " + MAX_THREADS
                        + " threads, and at least 1 queued");
            }
        }
    }

    /**
     * Settings for DELETE on hierarchies of interleaved tables.
     *
     * @param bySpan whether to erase spans of keys where that is equivalent to deleting row by row
     * @param chunkKvs number of KVs that an autocommitted DELETE by span visits in one transaction
     */
    public record Deletes(boolean bySpan, long chunkKvs) {
        public Deletes {
            requirePositive("KVs of a chunk of a DELETE", chunkKvs);
        }

        /** Returns the settings of a DELETE that must run in one transaction, however many KVs it visits. */
        Deletes atOnce() {
            return new Deletes(bySpan, Long.MAX_VALUE);
        }
    }

    /**
     * Limits of a node as a participant in distributed transactions.
     *
     * @param snapshots limit of concurrent snapshots that remote coordinators read
     * @param askAfterMillis time that a branch is in doubt before the node asks its last agent
     */
    public record Branches(int snapshots, long askAfterMillis) {
        public Branches {
            requirePositive("snapshots for others", snapshots);
            requirePositive("time after which a node asks for a decision, in ms", askAfterMillis);
        }
    }

    private static void requirePositive(String what, long value) {
        if (value < 1) {
            throw new BadInputException("SQL settings: " + what + ": " + value + ", must be at least 1");
        }
    }

    /**
     * 64 MiB per transaction, 16 MiB per result, 64 MiB to sort and group, 256 sessions of 60 s, and deletes by span.
     * The 16,384 recent commits are some seconds' worth of one busy client. Two threads per core, because statements
     * wait for the disk.
     */
    public static SqlSettings defaults() {
        int threads = 2 * Runtime.getRuntime().availableProcessors();
        return new SqlSettings(
                new Memory(64 * MIB, 16 * MIB),
                new Sessions(256, 60_000),
                new Recent(16_384, 16 * MIB),
                new Parallel(Math.min(MAX_THREADS, threads), DEFAULT_QUEUED),
                new Deletes(true, DEFAULT_CHUNK_KVS),
                new Branches(1024, DEFAULT_ASK_AFTER_MILLIS));
    }

    /** Returns the defaults of a coordinator of several nodes. */
    public static SqlSettings forNodes() {
        return defaults().with(new Parallel(COORDINATOR_THREADS, DEFAULT_QUEUED));
    }

    public SqlSettings with(Memory other) {
        return new SqlSettings(other, sessions, recent, parallel, deletes, branches);
    }

    public SqlSettings with(Sessions other) {
        return new SqlSettings(memory, other, recent, parallel, deletes, branches);
    }

    public SqlSettings with(Recent other) {
        return new SqlSettings(memory, sessions, other, parallel, deletes, branches);
    }

    public SqlSettings with(Parallel other) {
        return new SqlSettings(memory, sessions, recent, other, deletes, branches);
    }

    public SqlSettings with(Deletes other) {
        return new SqlSettings(memory, sessions, recent, parallel, other, branches);
    }

    public SqlSettings with(Branches other) {
        return new SqlSettings(memory, sessions, recent, parallel, deletes, other);
    }
}
