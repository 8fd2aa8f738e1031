package io.sluice.model.kv;

import io.sluice.model.schema.Column;
import io.sluice.model.schema.Index;
import io.sluice.model.schema.Index.Ancestor;
import io.sluice.model.schema.IndexColumn;
import io.sluice.model.schema.IndexColumn.Direction;
import io.sluice.model.schema.Table;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The layout of columns in the KVs of one index, shared by encoders, decoders and key spans. Immutable. */
final class IndexLayout {
    final int ordinal;
    final boolean unique;

    /** The indexed columns, with the prefixes of the index and of its ancestors. */
    final KeyPlan indexed;

    /** Primary key columns that are not indexed; ascending whatever their direction in the primary key. */
    final KeyPlan implicit;

    /** Stored columns of column family 0, and key columns that may be composite. */
    final TuplePlan tuple;

    /** The KVs of other column families than 0 that an entry may have, by number. */
    final List<FamilyLayout> families;

    /** Whether the table has several column families. */
    final boolean severalFamilies;

    /** The prefix of every key of the index and of all tables interleaved at any level of the same tree. */
    final byte[] treePrefix;

    private IndexLayout(
            int ordinal,
            boolean unique,
            KeyPlan indexed,
            KeyPlan implicit,
            TuplePlan tuple,
            List<FamilyLayout> families,
            boolean severalFamilies,
            byte[] treePrefix) {
        this.ordinal = ordinal;
        this.unique = unique;
        this.indexed = indexed;
        this.implicit = implicit;
        this.tuple = tuple;
        this.families = families;
        this.severalFamilies = severalFamilies;
        this.treePrefix = treePrefix;
    }

    /**
     * The KV of one column family other than 0.
     *
     * @param number its number
     * @param suffix the end of its keys
     * @param tuple its columns
     * @param single the only column, stored as an untagged value; -1: a tuple
     * @param shape the shape of the only column
     */
    @SuppressWarnings("ArrayRecordComponent")
    record FamilyLayout(int number, byte[] suffix, TuplePlan tuple, int single, Shape shape) {}

    static List<IndexLayout> ofAll(Table table) {
        List<IndexLayout> layouts = new ArrayList<>();
        for (int ordinal = 0; ordinal < table.indexes().size(); ordinal++) {
            layouts.add(of(table, ordinal));
        }
        return List.copyOf(layouts);
    }

    private static IndexLayout of(Table table, int ordinal) {
        Index index = table.indexes().get(ordinal);
        List<IndexColumn> indexedColumns = index.def().columns();
        Set<Integer> primaryKey = positions(table.primary().def().columns());
        Set<Integer> keyColumns = positions(indexedColumns);
        List<IndexColumn> implicitColumns = table.primary().def().positions().stream()
                .filter(column -> !keyColumns.contains(column))
                .map(column -> new IndexColumn(column, Direction.ASC))
                .toList();
        keyColumns.addAll(positions(implicitColumns));

        Set<Integer> whole = new HashSet<>(index.def().storing());
        if (ordinal == 0) {
            for (int column = 0; column < table.def().columns().size(); column++) {
                whole.add(column);
            }
        }
        whole.removeAll(keyColumns);
        List<FamilyLayout> families = families(table, whole, ordinal == 0);
        whole.removeIf(column -> table.def().columns().get(column).family() > 0);

        return new IndexLayout(
                ordinal,
                index.def().unique(),
                keyPlan(table, indexedColumns, primaryKey, between(table, index)),
                keyPlan(table, implicitColumns, primaryKey, nothingBetween(implicitColumns.size())),
                tuplePlan(table, whole, keyColumns),
                families,
                table.def().families() > 1,
                treePrefix(table, index));
    }

    /**
     * The layouts of the families from 1 on that have one of the columns. In the primary index, a family that was
     * declared with a single column has an untagged value.
     */
    private static List<FamilyLayout> families(Table table, Set<Integer> whole, boolean primary) {
        List<FamilyLayout> families = new ArrayList<>();
        for (int family = 1; family < table.def().families(); family++) {
            int number = family;
            List<Integer> columns = whole.stream()
                    .filter(column -> table.def().columns().get(column).family() == number)
                    .toList();
            if (!columns.isEmpty()) {
                byte[] suffix = new byte[2 * KeyEncoding.MAX_INT_BYTES];
                int end = KeyEncoding.putFamilySuffix(family, suffix, 0);
                int single = primary && columns.size() == 1 ? columns.get(0) : -1;
                families.add(new FamilyLayout(
                        family,
                        Arrays.copyOf(suffix, end),
                        tuplePlan(table, new HashSet<>(columns), Set.of()),
                        single,
                        shape(table, columns.get(0))));
            }
        }
        return List.copyOf(families);
    }

    /** The first key of the entry whose KVs a cut at these bytes would divide; else the bytes. */
    byte[] border(byte[] key) {
        ByteCursor cursor = ByteCursor.ofKey(key);
        try {
            KeyPlan.Skipped skipped = indexed.skip(cursor);
            if (skipped == KeyPlan.Skipped.FOREIGN) {
                return key;
            }
            if (!unique || skipped == KeyPlan.Skipped.WITH_NULL) {
                implicit.skip(cursor);
            }
        } catch (CorruptKvException e) {
            // Not the beginning of an entry's keys, so it divides none.
            return key;
        }
        boolean divides = cursor.remaining() > 0
                && cursor.peek() >= KeyEncoding.FAMILY_ZERO_SUFFIX
                && cursor.peek() < KeyEncoding.INTERLEAVED_SENTINEL;
        if (!divides) {
            return key;
        }
        byte[] border = Arrays.copyOf(key, cursor.position() + 1);
        border[cursor.position()] = (byte) KeyEncoding.FAMILY_ZERO_SUFFIX;
        return border;
    }

    private static Set<Integer> positions(List<IndexColumn> columns) {
        Set<Integer> positions = new HashSet<>();
        for (IndexColumn column : columns) {
            positions.add(column.column());
        }
        return positions;
    }

    private static KeyPlan keyPlan(
            Table table, List<IndexColumn> keyColumns, Set<Integer> primaryKey, byte[][] between) {
        int size = keyColumns.size();
        int[] columns = new int[size];
        Shape[] shapes = new Shape[size];
        boolean[] descending = new boolean[size];
        boolean[] nullable = new boolean[size];
        for (int i = 0; i < size; i++) {
            IndexColumn column = keyColumns.get(i);
            columns[i] = column.column();
            shapes[i] = shape(table, column.column());
            descending[i] = column.direction() == Direction.DESC;
            nullable[i] = !primaryKey.contains(column.column());
        }
        return new KeyPlan(columns, shapes, descending, nullable, between);
    }

    private static TuplePlan tuplePlan(Table table, Set<Integer> whole, Set<Integer> keyColumns) {
        List<Column> declared = table.def().columns();
        Set<Integer> all = new HashSet<>(whole);
        for (int column : keyColumns) {
            if (shape(table, column).mayBeComposite()) {
                all.add(column);
            }
        }
        int[] columns = all.stream()
                .sorted(Comparator.comparingInt(column -> declared.get(column).id()))
                .mapToInt(Integer::intValue)
                .toArray();
        int[] ids =
                Arrays.stream(columns).map(column -> declared.get(column).id()).toArray();
        Shape[] shapes =
                Arrays.stream(columns).mapToObj(column -> shape(table, column)).toArray(Shape[]::new);
        boolean[] onlyComposite = new boolean[columns.length];
        for (int i = 0; i < columns.length; i++) {
            onlyComposite[i] = !whole.contains(columns[i]);
        }
        return new TuplePlan(columns, ids, shapes, onlyComposite);
    }

    private static Shape shape(Table table, int column) {
        return Shape.of(table.def().columns().get(column).type().kind());
    }

    /**
     * The bytes before each indexed column and after the last one. The outermost ancestor's prefix comes first. The
     * sentinel and the next level's prefix follow the columns of a level.
     */
    private static byte[][] between(Table table, Index index) {
        byte[][] between = nothingBetween(index.def().columns().size());
        int place = 0;
        for (Ancestor level : index.ancestors()) {
            between[place] = concat(between[place], prefix(level.tableId(), level.indexId()));
            place += level.sharedColumns();
            between[place] = concat(between[place], new byte[] {(byte) KeyEncoding.INTERLEAVED_SENTINEL});
        }
        between[place] = concat(between[place], prefix(table.id(), index.def().id()));
        return between;
    }

    private static byte[][] nothingBetween(int columns) {
        byte[][] between = new byte[columns + 1][];
        Arrays.fill(between, new byte[0]);
        return between;
    }

    private static byte[] treePrefix(Table table, Index index) {
        if (index.ancestors().isEmpty()) {
            return prefix(table.id(), index.def().id());
        }
        Ancestor outermost = index.ancestors().get(0);
        return prefix(outermost.tableId(), outermost.indexId());
    }

    private static byte[] prefix(int tableId, int indexId) {
        byte[] prefix = new byte[2 * KeyEncoding.MAX_INT_BYTES];
        return Arrays.copyOf(prefix, KeyEncoding.putIndexPrefix(tableId, indexId, prefix, 0));
    }

    private static byte[] concat(byte[] left, byte[] right) {
        byte[] both = Arrays.copyOf(left, left.length + right.length);
        System.arraycopy(right, 0, both, left.length, right.length);
        return both;
    }
}
