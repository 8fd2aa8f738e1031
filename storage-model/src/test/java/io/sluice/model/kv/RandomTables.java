package io.sluice.model.kv;

import io.sluice.model.schema.Column;
import io.sluice.model.schema.ColumnType;
import io.sluice.model.schema.Index;
import io.sluice.model.schema.Index.Ancestor;
import io.sluice.model.schema.IndexColumn;
import io.sluice.model.schema.IndexColumn.Direction;
import io.sluice.model.schema.IndexDef;
import io.sluice.model.schema.Table;
import io.sluice.model.schema.TableDef;
import io.sluice.model.schema.TypeKind;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.TreeSet;

/**
 * Random tables with one or two columns of every type, ids with gaps, and all kinds of indexes: unique or not, storing,
 * interleaved, over columns of the primary key and others, in both directions.
 */
final class RandomTables {
    private static final int MAX_KEY_COLUMNS = 4;
    private static final int SECONDARIES = 4;

    private RandomTables() {}

    static Table table(SplittableRandom random) {
        List<TypeKind> kinds = new ArrayList<>(List.of(TypeKind.values()));
        kinds.add(TypeKind.DECIMAL);
        kinds.add(TypeKind.STRING);
        Collections.shuffle(kinds, new Random(random.nextLong()));

        List<Integer> primaryColumns = keys(kinds, random);
        List<Column> columns = new ArrayList<>();
        int id = 0;
        for (int i = 0; i < kinds.size(); i++) {
            id += gap(random);
            columns.add(new Column(id, "c" + i, ColumnType.of(kinds.get(i)), !primaryColumns.contains(i), false));
        }
        IndexDef primary = new IndexDef(
                IndexDef.PRIMARY_ID, IndexDef.PRIMARY_NAME, true, directed(primaryColumns, random), List.of(), null);
        List<IndexDef> secondaries = new ArrayList<>();
        for (int i = 0; i < SECONDARIES; i++) {
            List<Integer> indexed = keys(kinds, random);
            List<Integer> storing = new ArrayList<>(some(kinds.size(), random.nextInt(4), random));
            storing.removeAll(indexed);
            storing.removeAll(primaryColumns);
            secondaries.add(
                    new IndexDef(2 + i, "i" + i, random.nextBoolean(), directed(indexed, random), storing, null));
        }
        TableDef def = new TableDef("random", columns, primary, secondaries, List.of());
        List<Index> indexes = new ArrayList<>();
        for (IndexDef index : def.indexes()) {
            indexes.add(new Index(index, ancestors(index.columns().size(), random)));
        }
        return new Table(1 + random.nextInt(100_000), def, indexes);
    }

    /** The table with columns outside of the primary key in up to five families; family 0 may have none of them. */
    static Table inFamilies(Table table, SplittableRandom random) {
        List<Integer> key = table.primary().def().positions();
        List<Integer> wanted = random.ints(table.def().columns().size(), 0, 1 + random.nextInt(1, 5))
                .boxed()
                .toList();
        List<Integer> used = new ArrayList<>(new TreeSet<>(wanted));
        used.remove(Integer.valueOf(0));
        List<Column> columns = new ArrayList<>();
        for (int i = 0; i < wanted.size(); i++) {
            int family = key.contains(i) ? 0 : 1 + used.indexOf(wanted.get(i));
            columns.add(table.def().columns().get(i).inFamily(family));
        }
        // A family that only key columns were to be in stays empty, so the numbers are made dense again.
        List<Integer> dense = new ArrayList<>(
                new TreeSet<>(columns.stream().map(Column::family).toList()));
        List<Column> placed = columns.stream()
                .map(column -> column.inFamily(dense.indexOf(column.family())))
                .toList();
        TableDef def = table.def();
        return new Table(
                table.id(),
                new TableDef(def.name(), placed, def.primary(), def.secondaries(), def.foreignKeys()),
                table.indexes());
    }

    private static int gap(SplittableRandom random) {
        return switch (random.nextInt(8)) {
            case 0 -> 1 + random.nextInt(5000);
            case 1 -> 1 + random.nextInt(20);
            default -> 1;
        };
    }

    /** Some columns whose types an index may have. */
    private static List<Integer> keys(List<TypeKind> kinds, SplittableRandom random) {
        int count = 1 + random.nextInt(MAX_KEY_COLUMNS);
        return some(kinds.size(), kinds.size(), random).stream()
                .filter(column -> ColumnType.of(kinds.get(column)).hasKeys())
                .limit(count)
                .toList();
    }

    private static List<Integer> some(int bound, int count, SplittableRandom random) {
        return random.ints(0, bound).distinct().limit(count).boxed().toList();
    }

    private static List<IndexColumn> directed(List<Integer> columns, SplittableRandom random) {
        List<IndexColumn> directed = new ArrayList<>();
        for (int column : columns) {
            directed.add(new IndexColumn(column, random.nextBoolean() ? Direction.ASC : Direction.DESC));
        }
        return directed;
    }

    private static List<Ancestor> ancestors(int columns, SplittableRandom random) {
        List<Ancestor> ancestors = new ArrayList<>();
        int left = columns;
        int levels = random.nextInt(3);
        for (int level = 0; level < levels && left > 0; level++) {
            int shared = 1 + random.nextInt(left);
            ancestors.add(new Ancestor(200_000 + random.nextInt(1000), IndexDef.PRIMARY_ID, shared));
            left -= shared;
        }
        return ancestors;
    }
}
