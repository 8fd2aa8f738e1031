package io.sluice.engine.compact;

/** Range maximum queries in O(log n): a segment tree with its leaves in the second half of the array. */
final class RangeMax {
    private final int size;
    private final int[] tree;

    RangeMax(int[] values) {
        this.size = values.length;
        this.tree = new int[2 * size];
        System.arraycopy(values, 0, tree, size, size);
        for (int node = size - 1; node > 0; node--) {
            tree[node] = Math.max(tree[2 * node], tree[2 * node + 1]);
        }
    }

    int at(int index) {
        return tree[size + index];
    }

    /** The largest value from {@code from} to {@code to}, both inclusive; 0 when the range is empty. */
    int max(int from, int to) {
        int max = 0;
        int low = size + from;
        int high = size + to + 1;
        while (low < high) {
            if ((low & 1) == 1) {
                max = Math.max(max, tree[low++]);
            }
            if ((high & 1) == 1) {
                max = Math.max(max, tree[--high]);
            }
            low >>= 1;
            high >>= 1;
        }
        return max;
    }
}
