package io.sluice.sql;

import io.sluice.sql.RowModel.Refused;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A hierarchy of three tables as plain maps. A DELETE of rows of the outermost table may delete their descendants by
 * key ranges. Rows without a parent come from imports, and have large ids.
 */
final class TreeModel {
    static final String DDL = """
            CREATE TABLE p (id INT PRIMARY KEY, v INT, note STRING NOT NULL, INDEX by_v (v));
            CREATE TABLE q (p INT REFERENCES p (id) ON DELETE CASCADE, k INT, v INT,
                PRIMARY KEY (p, k DESC), UNIQUE INDEX by_vk (v, p, k)) INTERLEAVE IN PARENT p (p);
            CREATE TABLE r (p INT, k INT, t INT, PRIMARY KEY (p, k DESC, t),
                FOREIGN KEY (p, k) REFERENCES q (p, k) ON DELETE CASCADE) INTERLEAVE IN PARENT q (p, k);
            """;
    /** From here on the last column of a key of q and r is an import's, which does not look for parents. */
    static final int IMPORTED = 1_000;

    private static final int MOST_K = 99_999;
    private static final long KEYS_OF_Q = 100_000;
    private static final long KEYS_OF_R = 100_000;

    record P(int id, @Nullable Integer v, String note) {}

    record Q(int p, int k, int v) {
        long key() {
            return keyOfQ(p, k);
        }
    }

    record R(int p, int k, int t) {
        long key() {
            return keyOfQ(p, k) * KEYS_OF_R + t;
        }
    }

    final TreeMap<Integer, P> p = new TreeMap<>();
    final TreeMap<Long, Q> q = new TreeMap<>();
    final TreeMap<Long, R> r = new TreeMap<>();

    private static long keyOfQ(int p, int k) {
        return p * KEYS_OF_Q + MOST_K - k;
    }

    TreeModel copy() {
        TreeModel copy = new TreeModel();
        copy.p.putAll(p);
        copy.q.putAll(q);
        copy.r.putAll(r);
        return copy;
    }

    void merge(TreeModel then, TreeModel now) {
        RowModel.merge(p, then.p, now.p);
        RowModel.merge(q, then.q, now.q);
        RowModel.merge(r, then.r, now.r);
    }

    static void addChanged(Set<String> names, TreeModel then, TreeModel now) {
        RowModel.changed(then.p, now.p).forEach(key -> names.add("p " + key));
        RowModel.changed(then.q, now.q).forEach(key -> names.add("q " + key));
        RowModel.changed(then.r, now.r).forEach(key -> names.add("r " + key));
    }

    boolean noOrphans() {
        return q.values().stream().allMatch(row -> row.k() >= IMPORTED || p.containsKey(row.p()))
                && r.values().stream().allMatch(row -> row.t() >= IMPORTED || q.containsKey(keyOfQ(row.p(), row.k())));
    }

    private static <K, V> void insert(Map<K, V> table, K key, V row) {
        if (table.putIfAbsent(key, row) != null) {
            throw new Refused("UNIQUE");
        }
    }

    private static void requireParents(boolean found) {
        if (!found) {
            throw new Refused("FOREIGN_KEY");
        }
    }

    void insert(P row) {
        insert(p, row.id(), row);
    }

    void insertQ(List<Q> rows) {
        rows.forEach(row -> insert(q, row.key(), row));
        requireParents(rows.stream().allMatch(row -> p.containsKey(row.p())));
    }

    void insertR(List<R> rows) {
        rows.forEach(row -> insert(r, row.key(), row));
        requireParents(rows.stream().allMatch(row -> q.containsKey(keyOfQ(row.p(), row.k()))));
    }

    int updateP(Predicate<P> where, UnaryOperator<P> to) {
        List<P> rows = p.values().stream().filter(where).toList();
        rows.forEach(row -> p.put(row.id(), to.apply(row)));
        return rows.size();
    }

    int updateQ(int parent, UnaryOperator<Q> to) {
        Collection<Q> rows = inside(parent);
        rows.forEach(row -> q.put(row.key(), to.apply(row)));
        return rows.size();
    }

    /** The rows of q in a row of p. */
    private Collection<Q> inside(int parent) {
        return new ArrayList<>(
                q.subMap(parent * KEYS_OF_Q, (parent + 1) * KEYS_OF_Q).values());
    }

    private NavigableMap<Long, R> inside(Q row) {
        return r.subMap(row.key() * KEYS_OF_R, true, (row.key() + 1) * KEYS_OF_R, false);
    }

    /** Says what the engine must answer. */
    String deleteP(Predicate<P> where) {
        List<P> rows = p.values().stream().filter(where).toList();
        int before = q.size();
        int grandchildren = 0;
        for (P row : rows) {
            p.remove(row.id());
            grandchildren += removeQ(inside(row.id()));
        }
        Map<String, Integer> along = new TreeMap<>(Map.of("q", before - q.size(), "r", grandchildren));
        return answer(rows.size(), along);
    }

    String deleteQ(int parent, Predicate<Q> where) {
        List<Q> rows = inside(parent).stream().filter(where).toList();
        return answer(rows.size(), new TreeMap<>(Map.of("r", removeQ(rows))));
    }

    /** Returns how many rows of r went along. */
    private int removeQ(Collection<Q> rows) {
        int before = r.size();
        for (Q row : rows) {
            q.remove(row.key());
            inside(row).clear();
        }
        return before - r.size();
    }

    int deleteR(int parent, int k) {
        NavigableMap<Long, R> rows = inside(new Q(parent, k, 0));
        int count = rows.size();
        rows.clear();
        return count;
    }

    private static String answer(int count, Map<String, Integer> along) {
        along.values().removeIf(rows -> rows == 0);
        return count + (along.isEmpty() ? "" : " and " + along);
    }

    private static String line(P row) {
        return row.id() + "," + row.v() + "," + row.note();
    }

    private static String line(Q row) {
        return row.p() + "," + row.k() + "," + row.v();
    }

    String selectP(Predicate<P> where) {
        return RowModel.lines(p.values().stream().filter(where).map(TreeModel::line));
    }

    /** Rows of p in the order of v, NULL first. */
    String byV(Predicate<P> where) {
        return RowModel.lines(p.values().stream()
                .filter(where)
                .sorted(Comparator.comparing(P::v, Comparator.nullsFirst(Comparator.naturalOrder()))
                        .thenComparing(P::id))
                .map(TreeModel::line));
    }

    String selectQ(Predicate<Q> where) {
        return RowModel.lines(q.values().stream().filter(where).map(TreeModel::line));
    }

    String selectQ(int parent) {
        return RowModel.lines(inside(parent).stream().map(TreeModel::line));
    }

    /** Rows of q in the order of v, p and k. */
    String byVk(Predicate<Q> where) {
        return RowModel.lines(q.values().stream()
                .filter(where)
                .sorted(Comparator.comparing(Q::v).thenComparing(Q::p).thenComparing(Q::k))
                .map(TreeModel::line));
    }

    String selectR() {
        return lines(r.values().stream());
    }

    String selectR(int parent, int k) {
        return lines(inside(new Q(parent, k, 0)).values().stream());
    }

    private static String lines(Stream<R> rows) {
        return RowModel.lines(rows.map(row -> row.p() + "," + row.k() + "," + row.t()));
    }

    static boolean is(@Nullable Integer value, int other) {
        return Objects.equals(value, other);
    }
}
