package io.sluice.engine.compact;

/**
 * The height of a stack over each slot, while files are dropped onto it one by one; O(log n) each. A segment tree
 * without lazy propagation: inner nodes keep the height that covers all of their slots.
 */
final class HeightProfile {
    private final int slots;
    private final int[] highest;
    private final int[] floor;

    HeightProfile(int slots) {
        this.slots = slots;
        this.highest = new int[4 * slots];
        this.floor = new int[4 * slots];
    }

    /**
     * Drops a file over slots {@code from} to {@code to}, inclusive, onto the highest file there. Returns its sublevel.
     */
    int drop(int from, int to) {
        int sublevel = highest(1, 0, slots - 1, from, to);
        raise(1, 0, slots - 1, from, to, sublevel + 1);
        return sublevel;
    }

    private int highest(int node, int low, int high, int from, int to) {
        if (to < low || high < from) {
            return 0;
        }
        if (from <= low && high <= to) {
            return highest[node];
        }
        int middle = (low + high) >>> 1;
        int below =
                Math.max(highest(2 * node, low, middle, from, to), highest(2 * node + 1, middle + 1, high, from, to));
        return Math.max(floor[node], below);
    }

    private void raise(int node, int low, int high, int from, int to, int height) {
        if (to < low || high < from) {
            return;
        }
        // Heights only grow: a dropped file lies above all files that it overlaps.
        highest[node] = Math.max(highest[node], height);
        if (from <= low && high <= to) {
            floor[node] = height;
            return;
        }
        int middle = (low + high) >>> 1;
        raise(2 * node, low, middle, from, to, height);
        raise(2 * node + 1, middle + 1, high, from, to, height);
    }
}
