package io.sluice.sql;

import io.sluice.model.error.BadInputException;
import io.sluice.sql.distributed.SharedSettings;
import java.util.ArrayList;
import java.util.List;

/**
 * Limits of SQL statements and sessions.
 *
 * @param transactionBytes memory limit of one transaction: its write set and read set
 * @param resultBytes memory limit of one statement's result
 * @param sessions limit of open sessions
 * @param idleMillis time after which an idle session ends
 * @param recentCommits number of recent commits kept for conflict checks; a transaction that began before the oldest of
 *     them cannot commit
 * @param recentBytes memory limit for them
 * @param parallel limits of background statements
 * @param deletes settings of DELETE on hierarchies
 * @param shared limits of distributed transactions
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
    /** Some seconds' worth of one busy client; slower transactions must be rerun. */
    private static final int DEFAULT_RECENT_COMMITS = 16_384;

    /**
     * Validates all settings.
     *
     * @throws BadInputException if any is out of range; the message lists all of them
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

    /** 64 MiB per transaction, 16 MiB per result, 256 sessions of 60 s, 16 MiB of recent commits, deletes by span. */
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

    /** Returns the defaults of a coordinator of several nodes: its statements wait for the network, not for a core. */
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

    public SqlSettings withSessions(int maximum) {
        return new SqlSettings(
                transactionBytes,
                resultBytes,
                maximum,
                idleMillis,
                recentCommits,
                recentBytes,
                parallel,
                deletes,
                shared);
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
