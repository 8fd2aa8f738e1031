package io.sluice.sql.query;

import io.sluice.grammar.Statement.OrderKey;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/** Sorts rows in memory, and keeps only the first of them if the result has a limit. Equal rows stay in their order. */
final class Sorter {
    private static final int ROW_BYTES = 80;
    private static final int ARRAY_SLOT_BYTES = 8;

    private final List<OrderKey> order;
    private final List<Scalar> keys;
    private final long most;
    private final MemoryBudget memory;
    private final Comparator<SortedRow> comparator = this::compare;
    /** The last row of the result is its head. */
    private final PriorityQueue<SortedRow> rows = new PriorityQueue<>(comparator.reversed());

    private long added;

    /** A row with the values of its keys, and its place among the rows that were added. */
    @SuppressWarnings("ArrayRecordComponent")
    private record SortedRow(
            @Nullable Object[] values, @Nullable Object[] keys, long place, long bytes) {}

    /**
     * Creates a sorter.
     *
     * @param most number of rows of which the result has the first
     */
    Sorter(List<OrderKey> order, long most, MemoryBudget memory) {
        this.order = order;
        this.most = most;
        this.memory = memory;
        keys = order.stream().map(key -> Scalar.of(key.value())).toList();
    }

    /**
     * Adds a row.
     *
     * @param input values that the keys are computed from
     * @param values the row
     */
    void add(@Nullable Object[] input, @Nullable Object[] values) {
        @Nullable Object[] sorted = new Object[keys.size()];
        long bytes = ROW_BYTES + (long) ARRAY_SLOT_BYTES * (values.length + sorted.length);
        for (int i = 0; i < sorted.length; i++) {
            sorted[i] = keys.get(i).of(input);
            bytes += Datums.bytes(sorted[i]);
        }
        for (Object value : values) {
            bytes += Datums.bytes(value);
        }
        SortedRow row = new SortedRow(values, sorted, added++, bytes);
        if (rows.size() >= most) {
            SortedRow last = rows.peek();
            if (last == null || comparator.compare(row, last) >= 0) {
                return;
            }
            memory.release(last.bytes());
            rows.poll();
        }
        memory.take(
                bytes, "ORDER BY", "add LIMIT, narrow the condition, or order by the columns of an index, as they are");
        rows.add(row);
    }

    private int compare(SortedRow left, SortedRow right) {
        for (int i = 0; i < order.size(); i++) {
            OrderKey key = order.get(i);
            Object a = left.keys()[i];
            Object b = right.keys()[i];
            int result;
            if (a == null || b == null) {
                result = a == b ? 0 : (a == null) == key.nullsFirst() ? -1 : 1;
            } else {
                result = Datums.compare(key.value().type().kind(), a, b);
                result = key.descending() ? -result : result;
            }
            if (result != 0) {
                return result;
            }
        }
        return Long.compare(left.place(), right.place());
    }

    /** Returns the rows in order, and forgets them. */
    List<@Nullable Object[]> sorted() {
        List<SortedRow> all = new ArrayList<>(rows);
        rows.clear();
        all.sort(comparator);
        List<@Nullable Object[]> values = new ArrayList<>(all.size());
        all.forEach(row -> values.add(row.values()));
        return values;
    }
}
