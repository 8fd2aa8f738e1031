package io.sluice.sql.transaction;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Write sets of the most recent commits, by commit number, to detect conflicts with transactions that began before
 * them. Drops the oldest when a limit is exceeded. Not thread-safe.
 */
final class RecentCommits {
    /**
     * Spans kept per commit. A larger write set is coarsened: its spans also cover keys in between, which may cause
     * false conflicts.
     */
    private static final int MAX_SPANS_EACH = 4096;

    private final int maxCommits;
    private final long maxBytes;
    private final Deque<Commit> commits = new ArrayDeque<>();
    private long bytes;
    private long forgottenThrough;

    RecentCommits(int maxCommits, long maxBytes) {
        this.maxCommits = maxCommits;
        this.maxBytes = maxBytes;
    }

    private record Commit(long number, SpanSet written, long bytes) {}

    /** Result of a conflict check. */
    enum Verdict {
        FREE,
        CONFLICT,
        /** The transaction began before the oldest commit that is kept. */
        TOO_OLD
    }

    /**
     * Checks a transaction for conflicts with the commits since its snapshot.
     *
     * @param intent its write set and read set
     */
    Verdict check(Intent intent) {
        if (intent.since() < forgottenThrough) {
            return Verdict.TOO_OLD;
        }
        // Most transactions are short, so only the latest commits matter to them.
        var newestFirst = commits.descendingIterator();
        while (newestFirst.hasNext()) {
            Commit commit = newestFirst.next();
            if (commit.number() <= intent.since()) {
                return Verdict.FREE;
            }
            if (commit.written().intersects(intent.written())
                    || commit.written().intersects(intent.checked())) {
                return Verdict.CONFLICT;
            }
        }
        return Verdict.FREE;
    }

    /** Adds a commit, whose number is higher than all others. */
    void add(long number, SpanSet written) {
        SpanSet kept = written.coarse(MAX_SPANS_EACH);
        long size = kept.bytes();
        commits.addLast(new Commit(number, kept, size));
        bytes += size;
        while (commits.size() > maxCommits || bytes > maxBytes) {
            Commit oldest = commits.removeFirst();
            bytes -= oldest.bytes();
            forgottenThrough = oldest.number();
        }
    }
}
