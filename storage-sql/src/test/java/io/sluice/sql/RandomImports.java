package io.sluice.sql;

import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.TableDef;
import io.sluice.sql.RowModel.A;
import io.sluice.sql.TreeModel.P;
import io.sluice.sql.TreeModel.Q;
import io.sluice.sql.TreeModel.R;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Imports at random that add rows to tables, among them rows without the parents that they refer to. */
final class RandomImports {
    /** Bytes of a string that is too wide for a cache of one MiB. */
    private static final int WIDE = 24_000;

    private static final int BLOCK = 40;
    private static final int MOST_OF_P = 150;
    private static final int CHILDREN = 6;

    private final Random random;
    private final TreeStatements tree;
    private final List<TableDef> tables = Ddl.parse(RowModel.DDL, "test");
    private int appended = 1000;

    RandomImports(Random random, TreeStatements tree) {
        this.random = random;
        this.tree = tree;
    }

    /** Imports into the store, and changes the model as that does. */
    void next(SqlStore store, RowModel model) throws Exception {
        switch (random.nextInt(5)) {
            case 0 -> store.append(table("a"), rowsOfA(model));
            case 1, 2 -> {
                if (model.tree.p.size() < MOST_OF_P) {
                    block(store, model.tree);
                }
            }
            case 3 -> store.append(table("q"), rowsOfQ(model.tree));
            default -> store.append(table("r"), rowsOfR(model.tree));
        }
    }

    private TableDef table(String name) {
        return tables.stream()
                .filter(table -> table.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static List<@Nullable String> texts(Object... values) {
        List<@Nullable String> texts = new ArrayList<>();
        for (Object value : values) {
            texts.add(String.valueOf(value));
        }
        return texts;
    }

    private List<List<@Nullable String>> rowsOfA(RowModel model) {
        List<List<@Nullable String>> rows = new ArrayList<>();
        for (int i = random.nextInt(5); i >= 0; i--) {
            A row = new A(appended, appended, "added", appended % 7);
            appended++;
            model.insert(row);
            rows.add(texts(row.id(), appended - 1, row.s(), (appended - 1) % 7));
        }
        return rows;
    }

    /** Rows of p with some of q in each. */
    private void block(SqlStore store, TreeModel model) throws Exception {
        int first = tree.imported(BLOCK);
        List<List<@Nullable String>> parents = new ArrayList<>();
        List<List<@Nullable String>> children = new ArrayList<>();
        for (int id = first; id < first + BLOCK; id++) {
            int v = id % TreeStatements.VALUES;
            P row = new P(id, v, "x".repeat(WIDE));
            model.insert(row);
            parents.add(texts(id, v, row.note()));
            for (int k = 0; k < CHILDREN; k++) {
                model.insertQ(List.of(new Q(id, k, v)));
                children.add(texts(id, k, v));
            }
        }
        store.append(table("p"), parents);
        store.append(table("q"), children);
    }

    private List<List<@Nullable String>> rowsOfQ(TreeModel model) {
        List<List<@Nullable String>> rows = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Q row = new Q(random.nextInt(60), TreeModel.IMPORTED + appended++, random.nextInt(3));
            model.q.put(row.key(), row);
            rows.add(texts(row.p(), row.k(), row.v()));
        }
        return rows;
    }

    private List<List<@Nullable String>> rowsOfR(TreeModel model) {
        List<List<@Nullable String>> rows = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            R row = new R(random.nextInt(60), random.nextInt(10), TreeModel.IMPORTED + appended++);
            model.r.put(row.key(), row);
            rows.add(texts(row.p(), row.k(), row.t()));
        }
        return rows;
    }
}
