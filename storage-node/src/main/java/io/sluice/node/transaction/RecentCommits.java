package io.sluice.node.transaction;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Which keys the latest commits wrote, by the commits' numbers: what a transaction that began before them is held
 * against. The oldest are forgotten when there are too many. Not safe for several threads.
 */
final class RecentCommits {
    /**
     * Beyond, a commit is remembered by the spans between its keys: it may then conflict with what it did not touch.
     */
    private static final int MAX_SPANS_EACH = 4096;

    private final int most;
    private final long mostBytes;
    private final Deque<Commit> commits = new ArrayDeque<>();
    private long bytes;
    private long forgottenThrough;

    RecentCommits(int most, long mostBytes) {
        this.most = most;
        this.mostBytes = mostBytes;
    }

    private record Commit(long number, SpanSet written, long bytes) {}

    /** What a transaction may hope for. */
    enum Verdict {
        FREE,
        CONFLICT,
        /** Commits that it would have to be held against are forgotten. */
        TOO_OLD
    }

    /**
     * Holds a transaction against the commits since its snapshot.
     *
     * @param intent what it writes, and what it read to decide whether it may
     */
    Verdict check(Intent intent) {
        if (intent.since() < forgottenThrough) {
            return Verdict.TOO_OLD;
        }
        // The latest come last, and most transactions are short.
        var newestFirst = commits.descendingIterator();
        while (newestFirst.hasNext()) {
            Commit commit = newestFirst.next();
            if (commit.number() <= intent.since()) {
                return Verdict.FREE;
            }
            if (commit.written().meets(intent.written()) || commit.written().meets(intent.checked())) {
                return Verdict.CONFLICT;
            }
        }
        return Verdict.FREE;
    }

    /** Remembers a commit, whose number is above all others. */
    void add(long number, SpanSet written) {
        SpanSet kept = written.coarse(MAX_SPANS_EACH);
        long size = kept.bytes();
        commits.addLast(new Commit(number, kept, size));
        bytes += size;
        while (commits.size() > most || bytes > mostBytes) {
            Commit oldest = commits.removeFirst();
            bytes -= oldest.bytes();
            forgottenThrough = oldest.number();
        }
    }
}
