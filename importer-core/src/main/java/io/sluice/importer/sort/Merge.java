package io.sluice.importer.sort;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Merges sorted runs with a tournament tree of losers: one comparison per level of the tree and KV (Knuth, TAOCP vol.
 * 3, 5.4.1). KVs with equal keys come out next to each other, those of earlier cursors first.
 */
public final class Merge {
    /** KVs between two checks for an interrupt, a power of two: about a millisecond of work. */
    private static final int CHECK_EVERY_KVS = 4096;

    private final RunCursor[] cursors;
    private final boolean[] done;
    /** Loser of the match at each inner node; node 0 holds the overall winner. */
    private final int[] tree;

    private Merge(List<RunCursor> cursors) throws IOException {
        this.cursors = cursors.toArray(new RunCursor[0]);
        done = new boolean[this.cursors.length];
        tree = new int[Math.max(1, this.cursors.length)];
        for (int i = 0; i < done.length; i++) {
            done[i] = !this.cursors[i].advance();
        }
        tree[0] = build(1);
    }

    /**
     * Merges the KVs that runs have in a part of the keys into a sink.
     *
     * @throws InterruptedIOException when the thread is interrupted
     */
    public static void part(List<? extends Run> runs, SpanPlan.Part part, KvSink sink) throws IOException {
        List<RunCursor> cursors = new ArrayList<>();
        try {
            for (Run run : runs) {
                cursors.add(run.cursor(part.from(), part.to()));
            }
            into(sink, cursors);
        } finally {
            for (RunCursor cursor : cursors) {
                cursor.close();
            }
        }
    }

    private static void into(KvSink sink, List<RunCursor> cursors) throws IOException {
        if (cursors.isEmpty()) {
            return;
        }
        Merge merge = new Merge(cursors);
        int winner = merge.tree[0];
        int kvs = 0;
        while (!merge.done[winner]) {
            if ((++kvs & CHECK_EVERY_KVS - 1) == 0 && Thread.currentThread().isInterrupted()) {
                throw new InterruptedIOException("merging was interrupted");
            }
            RunCursor cursor = merge.cursors[winner];
            sink.add(cursor.buffer(), cursor.keyOffset(), cursor.keyLength(), cursor.valueLength());
            merge.done[winner] = !cursor.advance();
            winner = merge.replay(winner);
        }
    }

    /** Plays all matches below a node; leaves are numbered from {@code cursors.length}. Returns the winner. */
    private int build(int node) {
        if (node >= cursors.length) {
            return node - cursors.length;
        }
        int left = build(2 * node);
        int right = build(2 * node + 1);
        boolean leftWins = beats(left, right);
        tree[node] = leftWins ? right : left;
        return leftWins ? left : right;
    }

    /** Plays the matches from an advanced cursor up to the root; returns the new winner. */
    private int replay(int moved) {
        int winner = moved;
        for (int node = (moved + cursors.length) >>> 1; node > 0; node >>>= 1) {
            int opponent = tree[node];
            if (beats(opponent, winner)) {
                tree[node] = winner;
                winner = opponent;
            }
        }
        tree[0] = winner;
        return winner;
    }

    private boolean beats(int left, int right) {
        if (done[left] || done[right]) {
            return done[right] && (!done[left] || left < right);
        }
        int order = cursors[left].compareKeys(cursors[right]);
        return order != 0 ? order < 0 : left < right;
    }
}
