package io.sluice.grammar;

import io.sluice.grammar.Where.Bound;
import io.sluice.grammar.Where.Range;
import io.sluice.model.kv.IndexKeys;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.row.Row;
import io.sluice.model.schema.Column;
import io.sluice.model.schema.IndexColumn;
import io.sluice.model.schema.IndexColumn.Direction;
import io.sluice.model.schema.Table;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Converts conditions to key spans. A span has no other keys of the table; it may have keys of interleaved tables. */
public final class WhereSpans {
    /** A byte above NULL, which is 00, and below every value; the encoding reserves it. */
    private static final byte ABOVE_NULL = 0x01;
    /** The descending NULL, which is above every value. */
    private static final byte DESCENDING_NULL = (byte) 0xff;

    private final Table table;
    private final IndexKeys keys;
    private final Where where;
    private final List<IndexColumn> columns;

    private WhereSpans(Table table, IndexKeys keys, Where where) {
        this.table = table;
        this.keys = keys;
        this.where = where;
        columns = table.indexes().get(where.ordinal()).def().columns();
    }

    /** Returns the spans of all rows that match a condition, ascending and disjoint. */
    public static List<KeySpan> of(Table table, IndexKeys keys, Where where) {
        WhereSpans spans = new WhereSpans(table, keys, where);
        return KeySpan.union(where.ranges().stream().map(spans::of).toList());
    }

    /**
     * Returns the primary keys of matching rows if the condition fixes every primary key column; otherwise null.
     *
     * @return distinct primary keys, ascending, or null
     */
    public static @Nullable List<byte[]> points(Table table, IndexKeys keys, Where where) {
        WhereSpans spans = new WhereSpans(table, keys, where);
        boolean points = where.ordinal() == 0
                && where.ranges().stream().allMatch(range -> range.equal().size() == spans.columns.size());
        if (!points) {
            return null;
        }
        List<byte[]> found = new ArrayList<>();
        for (Range range : where.ranges()) {
            Row row = spans.row(range);
            boolean known = spans.columns.stream().noneMatch(part -> row.isNull(part.column()));
            if (known) {
                found.add(keys.primaryKey(row));
            }
        }
        found.sort(Arrays::compareUnsigned);
        for (int i = found.size() - 1; i > 0; i--) {
            if (Arrays.equals(found.get(i), found.get(i - 1))) {
                found.remove(i);
            }
        }
        return found;
    }

    private KeySpan of(Range range) {
        int equal = range.equal().size();
        Row row = row(range);
        byte[] base = keys.prefix(where.ordinal(), row, equal);
        if (!range.bounded()) {
            return KeySpan.ofPrefix(base);
        }
        boolean descending = columns.get(equal).direction() == Direction.DESC;
        byte[] start = descending
                ? first(range, range.upper(), base, new byte[0])
                : first(range, range.lower(), base, new byte[] {ABOVE_NULL});
        byte[] end = descending
                ? last(range, range.lower(), append(base, DESCENDING_NULL))
                : last(range, range.upper(), KeySpan.prefixEnd(base));
        return new KeySpan(start, end);
    }

    private byte[] first(Range range, @Nullable Bound bound, byte[] base, byte[] open) {
        if (bound == null) {
            return nullable(range) ? append(base, open) : base;
        }
        byte[] prefix = prefix(range, bound);
        return bound.inclusive() ? prefix : KeySpan.prefixEnd(prefix);
    }

    private byte[] last(Range range, @Nullable Bound bound, byte[] open) {
        if (bound == null) {
            return open;
        }
        byte[] prefix = prefix(range, bound);
        return bound.inclusive() ? KeySpan.prefixEnd(prefix) : prefix;
    }

    private boolean nullable(Range range) {
        return column(range.equal().size()).nullable();
    }

    private byte[] prefix(Range range, Bound bound) {
        int place = range.equal().size();
        Row row = row(range);
        put(row, place, bound.text());
        return keys.prefix(where.ordinal(), row, place + 1);
    }

    private Row row(Range range) {
        Row row = new Row(table.def().columns().size());
        for (int i = 0; i < range.equal().size(); i++) {
            String text = range.equal().get(i);
            if (text != null) {
                put(row, i, text);
            }
        }
        return row;
    }

    private void put(Row row, int place, String text) {
        Column column = column(place);
        Literals.put(
                Literals.comparable(column.type()),
                text,
                row,
                columns.get(place).column(),
                column.name());
    }

    private Column column(int place) {
        return table.def().columns().get(columns.get(place).column());
    }

    private static byte[] append(byte[] base, byte... more) {
        byte[] both = Arrays.copyOf(base, base.length + more.length);
        System.arraycopy(more, 0, both, base.length, more.length);
        return both;
    }
}
