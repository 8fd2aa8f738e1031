package io.sluice.sql;

import io.sluice.sql.RowModel.A;
import io.sluice.sql.RowModel.B;
import io.sluice.sql.RowModel.C;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Statements at random: as SQL, and as what they do to a model. */
final class RandomStatements {
    private static final int IDS = 40;
    /** Few, so that transactions meet. */
    private static final int HOT_IDS = 4;

    private static final int UNIQUES = 50;
    private static final int NUMBERS = 12;
    private static final int CHILDREN = 8;

    private final Random random;
    private final TreeStatements tree;

    RandomStatements(Random random) {
        this.random = random;
        tree = new TreeStatements(random);
    }

    /** The part of them that is on a hierarchy of tables. */
    TreeStatements tree() {
        return tree;
    }

    /**
     * One statement.
     *
     * @param effect changes the model, and says what the engine must answer
     */
    record Drawn(String sql, Function<RowModel, String> effect) {
        boolean writes() {
            return !sql.startsWith("SELECT");
        }
    }

    Drawn nextRead() {
        Drawn drawn = next();
        while (drawn.writes()) {
            drawn = next();
        }
        return drawn;
    }

    Drawn next() {
        return switch (random.nextInt(40)) {
            case 0, 1, 2 -> insertA();
            case 3, 4 -> insertB();
            case 5 -> insertC();
            case 6 -> updateA();
            case 7 -> updateU();
            case 8 -> updateB();
            case 9 -> deleteA();
            case 10 -> deleteB();
            case 11 -> deleteC();
            case 12 -> selectA();
            case 13 -> selectByIndex();
            case 14 -> selectB();
            case 15 -> counts();
            case 16 -> selectC();
            default -> tree.next();
        };
    }

    private int id() {
        return random.nextInt(random.nextInt(3) == 0 ? HOT_IDS : IDS);
    }

    private @Nullable Integer maybe(int bound) {
        return random.nextInt(6) == 0 ? null : Integer.valueOf(random.nextInt(bound));
    }

    private Drawn insertA() {
        A row = new A(id(), maybe(UNIQUES), "s" + random.nextInt(5), maybe(NUMBERS));
        String sql = "INSERT INTO a (s, id, n, u) VALUES ('" + row.s() + "', " + row.id() + ", " + row.n() + ", "
                + row.u() + ")";
        return new Drawn(sql, model -> {
            model.insert(row);
            return "1";
        });
    }

    private Drawn insertB() {
        List<B> rows = new ArrayList<>();
        for (int i = random.nextInt(3); i >= 0; i--) {
            rows.add(new B(id(), random.nextInt(CHILDREN), random.nextInt(NUMBERS)));
        }
        String values = rows.stream()
                .map(row -> "(" + row.a() + ", " + row.k() + ", " + row.v() + ")")
                .collect(Collectors.joining(", "));
        return new Drawn("INSERT INTO b VALUES " + values, model -> {
            model.insert(rows);
            return String.valueOf(rows.size());
        });
    }

    private Drawn insertC() {
        C row = new C(id(), maybe(UNIQUES));
        return new Drawn("INSERT INTO c VALUES (" + row.id() + ", " + row.au() + ")", model -> {
            model.insert(row);
            return "1";
        });
    }

    private Drawn updateA() {
        int from = id();
        int to = from + random.nextInt(4);
        String s = "t" + random.nextInt(5);
        return new Drawn(
                "UPDATE a SET n = n + 1, s = '" + s + "' WHERE id >= " + from + " AND id <= " + to,
                model -> String.valueOf(model.updateA(
                        row -> row.id() >= from && row.id() <= to,
                        row -> new A(row.id(), row.u(), s, row.n() == null ? null : row.n() + 1))));
    }

    private Drawn updateU() {
        int id = id();
        Integer u = maybe(UNIQUES);
        return new Drawn(
                "UPDATE a SET u = " + u + " WHERE id = " + id,
                model -> String.valueOf(
                        model.updateA(row -> row.id() == id, row -> new A(row.id(), u, row.s(), row.n()))));
    }

    private Drawn updateB() {
        int a = id();
        int k = random.nextInt(CHILDREN);
        if (random.nextBoolean()) {
            return new Drawn(
                    "UPDATE b SET k = k + 1 WHERE a = " + a + " AND k >= " + k,
                    model -> String.valueOf(model.updateB(
                            row -> row.a() == a && row.k() >= k, row -> new B(row.a(), row.k() + 1, row.v()))));
        }
        int v = random.nextInt(NUMBERS);
        return new Drawn(
                "UPDATE b SET v = v * -1 WHERE v = " + v,
                model -> String.valueOf(model.updateB(row -> row.v() == v, row -> new B(row.a(), row.k(), -row.v()))));
    }

    private Drawn deleteA() {
        int from = id();
        int to = random.nextInt(4) == 0 ? from + random.nextInt(5) : from;
        String where = from == to ? "id = " + from : "id BETWEEN " + from + " AND " + to;
        return new Drawn("DELETE FROM a WHERE " + where, model -> {
            int[] gone = model.deleteA(row -> row.id() >= from && row.id() <= to);
            return gone[0] + (gone[1] == 0 ? "" : " and {b=" + gone[1] + "}");
        });
    }

    private Drawn deleteB() {
        int a = id();
        int k = random.nextInt(CHILDREN);
        return new Drawn("DELETE FROM b WHERE a = " + a + " AND k < " + k, model -> {
            int before = model.b.size();
            model.b.values().removeIf(row -> row.a() == a && row.k() < k);
            return String.valueOf(before - model.b.size());
        });
    }

    private Drawn deleteC() {
        int id = id();
        int to = id + random.nextInt(10);
        return new Drawn("DELETE FROM c WHERE id > " + id + " AND id < " + to, model -> {
            int before = model.c.size();
            model.c.values().removeIf(row -> row.id() > id && row.id() < to);
            return String.valueOf(before - model.c.size());
        });
    }

    private Drawn selectA() {
        int one = id();
        int two = id();
        return random.nextBoolean()
                ? new Drawn(
                        "SELECT * FROM a WHERE id IN (" + one + ", " + two + ")",
                        model -> model.selectA(row -> row.id() == one || row.id() == two))
                : new Drawn(
                        "SELECT * FROM a WHERE id > " + one + " AND id <= " + two,
                        model -> model.selectA(row -> row.id() > one && row.id() <= two));
    }

    private Drawn selectByIndex() {
        int n = random.nextInt(NUMBERS);
        int u = random.nextInt(UNIQUES);
        return switch (random.nextInt(5)) {
            case 0 -> new Drawn("SELECT * FROM a WHERE n >= " + n, model -> model.byN(row -> atLeast(row.n(), n)));
            case 1 -> new Drawn("SELECT * FROM a WHERE n IS NULL", model -> model.byN(row -> row.n() == null));
            case 2 ->
                new Drawn(
                        "SELECT * FROM a WHERE n = " + n + " AND s > 's2'",
                        model -> model.byN(
                                row -> Objects.equals(row.n(), n) && row.s().compareTo("s2") > 0));
            case 3 ->
                new Drawn("SELECT * FROM a WHERE u = " + u, model -> model.selectA(row -> Objects.equals(row.u(), u)));
            default -> new Drawn("SELECT * FROM b WHERE v < " + n, model -> model.byV(row -> row.v() < n));
        };
    }

    private static boolean atLeast(@Nullable Integer value, int bound) {
        return value != null && value >= bound;
    }

    private Drawn selectB() {
        int a = id();
        return new Drawn("SELECT * FROM b WHERE a = " + a, model -> model.selectB(row -> row.a() == a));
    }

    private Drawn counts() {
        int a = id();
        return random.nextBoolean()
                ? new Drawn("SELECT count(*) FROM b", model -> "[" + model.b.size() + "]")
                : new Drawn(
                        "SELECT count(*) FROM a WHERE id < " + a,
                        model -> "[" + model.a.headMap(a).size() + "]");
    }

    private Drawn selectC() {
        Integer au = random.nextInt(UNIQUES);
        return new Drawn(
                "SELECT * FROM c WHERE au = " + au, model -> model.selectC(row -> Objects.equals(row.au(), au)));
    }
}
