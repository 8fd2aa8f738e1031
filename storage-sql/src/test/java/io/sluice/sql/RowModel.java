package io.sluice.sql;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Three tables and a hierarchy of three more as plain maps, with the rules that their declaration has. Statements
 * either do all or throw.
 */
final class RowModel {
    /** All tables. */
    static final List<String> TABLES = List.of("a", "b", "c", "p", "q", "r");

    static final String DDL = """
            CREATE TABLE a (id INT PRIMARY KEY, u INT, s STRING NOT NULL, n INT,
                UNIQUE INDEX by_u (u) STORING (n), INDEX by_n (n DESC, s), FAMILY (id, u), FAMILY (s), FAMILY (n));
            CREATE TABLE b (a INT REFERENCES a (id) ON DELETE CASCADE, k INT, v INT,
                PRIMARY KEY (a, k), INDEX by_v (v)) INTERLEAVE IN PARENT a (a);
            CREATE TABLE c (id INT PRIMARY KEY, au INT REFERENCES a (u), INDEX by_au (au));
            """ + TreeModel.DDL;

    record A(
            int id, @Nullable Integer u, String s, @Nullable Integer n) {}

    record B(int a, int k, int v) {}

    record C(int id, @Nullable Integer au) {}

    /** A rule that a statement would break; the name of the code that the engine has for it. */
    static final class Refused extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Refused(String code) {
            super(code, null, false, false);
        }
    }

    private static final int KEYS_OF_B = 1_000_000;

    final TreeMap<Integer, A> a = new TreeMap<>();
    final TreeMap<Long, B> b = new TreeMap<>();
    final TreeMap<Integer, C> c = new TreeMap<>();
    final TreeModel tree;

    RowModel() {
        this(new TreeModel());
    }

    private RowModel(TreeModel tree) {
        this.tree = tree;
    }

    RowModel copy() {
        RowModel copy = new RowModel(tree.copy());
        copy.a.putAll(a);
        copy.b.putAll(b);
        copy.c.putAll(c);
        return copy;
    }

    static long key(int a, int k) {
        return (long) a * KEYS_OF_B + k;
    }

    private boolean hasU(int u) {
        return a.values().stream().anyMatch(each -> Objects.equals(each.u(), u));
    }

    private void require(boolean holds, String code) {
        if (!holds) {
            throw new Refused(code);
        }
    }

    void insert(A row) {
        require(!a.containsKey(row.id()) && (row.u() == null || !hasU(row.u())), "UNIQUE");
        a.put(row.id(), row);
    }

    void insert(List<B> rows) {
        for (B row : rows) {
            require(b.putIfAbsent(key(row.a(), row.k()), row) == null, "UNIQUE");
        }
        require(rows.stream().allMatch(row -> a.containsKey(row.a())), "FOREIGN_KEY");
    }

    void insert(C row) {
        require(c.putIfAbsent(row.id(), row) == null, "UNIQUE");
        require(row.au() == null || hasU(row.au()), "FOREIGN_KEY");
    }

    int updateA(Predicate<A> where, UnaryOperator<A> to) {
        List<A> rows = a.values().stream().filter(where).toList();
        rows.forEach(row -> a.put(row.id(), to.apply(row)));
        List<Integer> keys =
                a.values().stream().map(A::u).filter(Objects::nonNull).toList();
        require(keys.size() == keys.stream().distinct().count(), "UNIQUE");
        require(noOrphans(), "FOREIGN_KEY");
        return rows.size();
    }

    int updateB(Predicate<B> where, UnaryOperator<B> to) {
        List<B> rows = b.values().stream().filter(where).toList();
        rows.forEach(row -> b.remove(key(row.a(), row.k())));
        for (B row : rows) {
            B now = to.apply(row);
            require(b.putIfAbsent(key(now.a(), now.k()), now) == null, "UNIQUE");
        }
        return rows.size();
    }

    /** The numbers of rows of a and of b. */
    int[] deleteA(Predicate<A> where) {
        List<A> rows = a.values().stream().filter(where).toList();
        int before = b.size();
        rows.forEach(row -> {
            a.remove(row.id());
            b.values().removeIf(child -> child.a() == row.id());
        });
        require(noOrphans(), "FOREIGN_KEY");
        return new int[] {rows.size(), before - b.size()};
    }

    boolean noOrphans() {
        return c.values().stream().allMatch(row -> row.au() == null || hasU(row.au()))
                && b.values().stream().allMatch(row -> a.containsKey(row.a()))
                && tree.noOrphans();
    }

    /** Takes over what a transaction has changed: where {@code now} differs from {@code then}. */
    void merge(RowModel then, RowModel now) {
        merge(a, then.a, now.a);
        merge(b, then.b, now.b);
        merge(c, then.c, now.c);
        tree.merge(then.tree, now.tree);
    }

    static <K, V> void merge(Map<K, V> target, Map<K, V> then, Map<K, V> now) {
        for (K key : changed(then, now)) {
            V value = now.get(key);
            if (value == null) {
                target.remove(key);
            } else {
                target.put(key, value);
            }
        }
    }

    static <K, V> List<K> changed(Map<K, V> then, Map<K, V> now) {
        return Stream.concat(then.keySet().stream(), now.keySet().stream())
                .distinct()
                .filter(key -> !Objects.equals(then.get(key), now.get(key)))
                .toList();
    }

    /** Names of the rows in which two states differ. */
    static Set<String> changed(RowModel then, RowModel now) {
        Set<String> names = new HashSet<>();
        changed(then.a, now.a).forEach(key -> names.add("a " + key));
        changed(then.b, now.b).forEach(key -> names.add("b " + key));
        changed(then.c, now.c).forEach(key -> names.add("c " + key));
        TreeModel.addChanged(names, then.tree, now.tree);
        return names;
    }

    static String line(A row) {
        return row.id() + "," + row.u() + "," + row.s() + "," + row.n();
    }

    static String line(B row) {
        return row.a() + "," + row.k() + "," + row.v();
    }

    static String line(C row) {
        return row.id() + "," + row.au();
    }

    static String lines(Stream<String> rows) {
        return rows.collect(Collectors.joining(" | ", "[", "]"));
    }

    /** Rows of a in the order of n, descending, NULL last. */
    String byN(Predicate<A> where) {
        List<A> rows = new ArrayList<>(a.values().stream().filter(where).toList());
        rows.sort(Comparator.comparing(A::n, Comparator.nullsFirst(Comparator.naturalOrder()))
                .reversed()
                .thenComparing(A::s)
                .thenComparing(A::id));
        return lines(rows.stream().map(RowModel::line));
    }

    String selectA(Predicate<A> where) {
        return lines(a.values().stream().filter(where).map(RowModel::line));
    }

    String selectB(Predicate<B> where) {
        return lines(b.values().stream().filter(where).map(RowModel::line));
    }

    String byV(Predicate<B> where) {
        return lines(b.values().stream()
                .filter(where)
                .sorted(Comparator.comparing(B::v).thenComparing(B::a).thenComparing(B::k))
                .map(RowModel::line));
    }

    String selectC(Predicate<C> where) {
        return lines(c.values().stream().filter(where).map(RowModel::line));
    }
}
