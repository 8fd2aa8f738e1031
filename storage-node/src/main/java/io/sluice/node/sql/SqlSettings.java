package io.sluice.node.sql;

import io.sluice.api.error.BadInputException;
import io.sluice.node.distributed.SharedSettings;
import java.util.ArrayList;
import java.util.List;

/**
 * Bounds of what statements may take.
 *
 * @param transactionBytes memory of one transaction: what it writes, and what it remembers to have read
 * @param resultBytes memory of one statement's rows
 * @param sessions how many there may be
 * @param idleMillis after which a session that nobody uses ends
 * @param recentCommits how many commits are remembered for finding conflicts; a transaction during which there were
 *     more cannot commit
 * @param recentBytes memory for those
 * @param parallel bounds of what runs in the background of transactions
 * @param deletes how rows of a hierarchy are deleted
 * @param shared bounds of transactions on several nodes
 */
public record SqlSettings(
        long transactionBytes,
        long resultBytes,
        int sessions,
        long idleMillis,
        int recentCommits,
        long recentBytes,
        ParallelSettings parallel,
        DeleteSettings deletes,
        SharedSettings shared) {
    private static final long MIB = 1L << 20;
    private static final int DEFAULT_SESSIONS = 256;
    private static final long DEFAULT_IDLE_MILLIS = 60_000;
    /** Some seconds' of one busy client; beyond, who is slow must begin again. */
    private static final int DEFAULT_RECENT_COMMITS = 16_384;

    /**
     * Checks all settings.
     *
     * @throws BadInputException when some are out of range; the message lists all of those
     */
    public SqlSettings {
        List<String> wrong = new ArrayList<>();
        check(wrong, "memory of a transaction", transactionBytes);
        check(wrong, "memory of a result", resultBytes);
        check(wrong, "sessions", sessions);
        check(wrong, "idle time in ms", idleMillis);
        check(wrong, "commits to remember", recentCommits);
        check(wrong, "memory of commits", recentBytes);
        if (!wrong.isEmpty()) {
            throw new BadInputException("SQL settings: " + String.join("; ", wrong));
        }
    }

    private static void check(List<String> wrong, String what, long value) {
        if (value < 1) {
            wrong.add(what + ": " + value + ", must be at least 1");
        }
    }

    /** 64 MiB a transaction, 16 MiB a result, 256 sessions of 60 s, 16 MiB of commits, and deletes by span. */
    public static SqlSettings defaults() {
        return new SqlSettings(
                64 * MIB,
                16 * MIB,
                DEFAULT_SESSIONS,
                DEFAULT_IDLE_MILLIS,
                DEFAULT_RECENT_COMMITS,
                16 * MIB,
                ParallelSettings.defaults(),
                DeleteSettings.defaults(),
                SharedSettings.defaults());
    }

    /** The same for whoever coordinates several nodes: statements wait for the network, not for a core. */
    public static SqlSettings forNodes() {
        return defaults().withParallel(ParallelSettings.forNodes());
    }

    public SqlSettings withTransactionBytes(long bytes) {
        return new SqlSettings(
                bytes, resultBytes, sessions, idleMillis, recentCommits, recentBytes, parallel, deletes, shared);
    }

    public SqlSettings withResultBytes(long bytes) {
        return new SqlSettings(
                transactionBytes, bytes, sessions, idleMillis, recentCommits, recentBytes, parallel, deletes, shared);
    }

    public SqlSettings withSessions(int most) {
        return new SqlSettings(
                transactionBytes, resultBytes, most, idleMillis, recentCommits, recentBytes, parallel, deletes, shared);
    }

    public SqlSettings withIdleMillis(long millis) {
        return new SqlSettings(
                transactionBytes, resultBytes, sessions, millis, recentCommits, recentBytes, parallel, deletes, shared);
    }

    public SqlSettings withRecentCommits(int commits) {
        return new SqlSettings(
                transactionBytes, resultBytes, sessions, idleMillis, commits, recentBytes, parallel, deletes, shared);
    }

    public SqlSettings withParallel(ParallelSettings other) {
        return new SqlSettings(
                transactionBytes,
                resultBytes,
                sessions,
                idleMillis,
                recentCommits,
                recentBytes,
                other,
                deletes,
                shared);
    }

    public SqlSettings withDeletes(DeleteSettings other) {
        return new SqlSettings(
                transactionBytes,
                resultBytes,
                sessions,
                idleMillis,
                recentCommits,
                recentBytes,
                parallel,
                other,
                shared);
    }

    public SqlSettings withShared(SharedSettings other) {
        return new SqlSettings(
                transactionBytes,
                resultBytes,
                sessions,
                idleMillis,
                recentCommits,
                recentBytes,
                parallel,
                deletes,
                other);
    }
}
