package io.sluice.sql;

import io.sluice.sql.RandomStatements.Drawn;
import io.sluice.sql.TreeModel.P;
import io.sluice.sql.TreeModel.Q;
import io.sluice.sql.TreeModel.R;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Statements at random on the tables of {@link TreeModel}. */
final class TreeStatements {
    private static final int IDS = 40;
    private static final int HOT_IDS = 3;
    /** Imports put their rows from here on. */
    static final int FIRST_IMPORTED = 1_000;

    static final int VALUES = 12;
    private static final int CHILDREN = 120;
    private static final int MOST_AT_ONCE = 30;
    private static final int WIDE = 3_000;

    private final Random random;
    private int nextImported = FIRST_IMPORTED;

    TreeStatements(Random random) {
        this.random = random;
    }

    /** Ids for rows of an import, which statements will draw from now on. */
    int imported(int rows) {
        int first = nextImported;
        nextImported += rows;
        return first;
    }

    private int id() {
        int imported = nextImported - FIRST_IMPORTED;
        return switch (random.nextInt(6)) {
            case 0, 1 -> random.nextInt(HOT_IDS);
            case 2 -> imported == 0 ? 0 : FIRST_IMPORTED + random.nextInt(imported);
            default -> random.nextInt(IDS);
        };
    }

    private int value() {
        return random.nextInt(VALUES);
    }

    private int child() {
        return random.nextInt(CHILDREN);
    }

    /** Some are so wide that a row cache of a MiB cannot have all rows. */
    String note() {
        return String.valueOf((char) ('a' + random.nextInt(26)))
                .repeat(random.nextInt(4) == 0 ? random.nextInt(WIDE) : 3);
    }

    Drawn next() {
        return switch (random.nextInt(21)) {
            case 0, 1, 2, 10 -> insertP();
            case 3, 4, 5, 6, 11 -> insertQ();
            case 7, 8 -> insertR();
            case 9, 19 -> deleteP();
            case 12 -> deleteInside();
            case 13 -> updateP();
            case 14 -> updateQ();
            case 15, 16 -> selectP();
            case 17 -> selectByIndex();
            case 18 -> selectInside();
            default -> counts();
        };
    }

    private static Drawn drawn(String sql, Function<TreeModel, String> effect) {
        return new Drawn(sql, model -> effect.apply(model.tree));
    }

    private Drawn insertP() {
        @Nullable Integer v = random.nextInt(6) == 0 ? null : Integer.valueOf(value());
        P row = new P(id(), v, note());
        return drawn("INSERT INTO p VALUES (" + row.id() + ", " + v + ", '" + row.note() + "')", model -> {
            model.insert(row);
            return "1";
        });
    }

    /** Numbers in a row, mostly few. */
    private IntStream some(int from) {
        int count = 1 + random.nextInt(random.nextBoolean() ? MOST_AT_ONCE : 3);
        return IntStream.range(from, from + count);
    }

    private Drawn insertQ() {
        int p = id();
        var rows = some(child()).mapToObj(k -> new Q(p, k, value())).toList();
        String values = rows.stream()
                .map(row -> "(" + p + ", " + row.k() + ", " + row.v() + ")")
                .collect(Collectors.joining(", "));
        return drawn("INSERT INTO q VALUES " + values, model -> {
            model.insertQ(rows);
            return String.valueOf(rows.size());
        });
    }

    private Drawn insertR() {
        int p = id();
        int k = child();
        var rows = some(child()).mapToObj(t -> new R(p, k, t)).toList();
        String values = rows.stream()
                .map(row -> "(" + p + ", " + k + ", " + row.t() + ")")
                .collect(Collectors.joining(", "));
        return drawn("INSERT INTO r VALUES " + values, model -> {
            model.insertR(rows);
            return String.valueOf(rows.size());
        });
    }

    private Drawn deleteP() {
        int id = id();
        int to = id + random.nextInt(random.nextBoolean() ? 6 : 30);
        return switch (random.nextInt(8)) {
            case 0 -> drawn("DELETE FROM p WHERE id = " + id, model -> model.deleteP(row -> row.id() == id));
            case 1, 2, 3, 4 ->
                drawn(
                        "DELETE FROM p WHERE id BETWEEN " + id + " AND " + to,
                        model -> model.deleteP(row -> row.id() >= id && row.id() <= to));
            case 5 -> {
                Set<Integer> ids = Set.copyOf(List.of(id, id(), id()));
                String in = ids.stream().map(String::valueOf).collect(Collectors.joining(", "));
                yield drawn(
                        "DELETE FROM p WHERE id IN (" + in + ")",
                        model -> model.deleteP(row -> ids.contains(row.id())));
            }
            case 6 -> {
                int v = value();
                yield drawn("DELETE FROM p WHERE v = " + v, model -> model.deleteP(row -> TreeModel.is(row.v(), v)));
            }
            default ->
                random.nextInt(8) == 0
                        ? drawn("DELETE FROM p WHERE id > " + id, model -> model.deleteP(row -> row.id() > id))
                        : drawn("DELETE FROM p WHERE id = " + to, model -> model.deleteP(row -> row.id() == to));
        };
    }

    private Drawn deleteInside() {
        int p = id();
        int k = child();
        return random.nextBoolean()
                ? drawn("DELETE FROM q WHERE p = " + p + " AND k < " + k, model -> model.deleteQ(p, row -> row.k() < k))
                : drawn("DELETE FROM r WHERE p = " + p + " AND k = " + k, model -> String.valueOf(model.deleteR(p, k)));
    }

    private Drawn updateP() {
        int from = id();
        int to = from + random.nextInt(4);
        String note = note();
        return random.nextBoolean()
                ? drawn(
                        "UPDATE p SET v = v + 1 WHERE id >= " + from + " AND id <= " + to,
                        model -> String.valueOf(model.updateP(
                                row -> row.id() >= from && row.id() <= to,
                                row -> new P(row.id(), row.v() == null ? null : row.v() + 1, row.note()))))
                : drawn(
                        "UPDATE p SET note = '" + note + "' WHERE id = " + from,
                        model -> String.valueOf(
                                model.updateP(row -> row.id() == from, row -> new P(from, row.v(), note))));
    }

    private Drawn updateQ() {
        int p = id();
        return drawn(
                "UPDATE q SET v = v * -1 WHERE p = " + p,
                model -> String.valueOf(model.updateQ(p, row -> new Q(p, row.k(), -row.v()))));
    }

    private Drawn selectP() {
        int one = id();
        int two = id();
        return random.nextInt(3) > 0
                ? drawn(
                        "SELECT * FROM p WHERE id IN (" + one + ", " + two + ")",
                        model -> model.selectP(row -> row.id() == one || row.id() == two))
                : drawn(
                        "SELECT * FROM p WHERE id >= " + one + " AND id < " + two,
                        model -> model.selectP(row -> row.id() >= one && row.id() < two));
    }

    private Drawn selectByIndex() {
        int v = value();
        return random.nextBoolean()
                ? drawn("SELECT * FROM p WHERE v = " + v, model -> model.byV(row -> TreeModel.is(row.v(), v)))
                : drawn("SELECT * FROM q WHERE v = " + -v, model -> model.byVk(row -> row.v() == -v));
    }

    private Drawn selectInside() {
        int p = id();
        int k = child();
        return random.nextBoolean()
                ? drawn("SELECT * FROM q WHERE p = " + p, model -> model.selectQ(p))
                : drawn("SELECT * FROM r WHERE p = " + p + " AND k = " + k, model -> model.selectR(p, k));
    }

    private Drawn counts() {
        int id = id();
        return switch (random.nextInt(3)) {
            case 0 -> drawn("SELECT count(*) FROM q", model -> "[" + model.q.size() + "]");
            case 1 -> drawn("SELECT count(*) FROM r", model -> "[" + model.r.size() + "]");
            default ->
                drawn(
                        "SELECT count(*) FROM p WHERE id < " + id,
                        model -> "[" + model.p.headMap(id).size() + "]");
        };
    }
}
