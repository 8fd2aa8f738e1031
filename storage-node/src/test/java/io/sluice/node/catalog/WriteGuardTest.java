package io.sluice.node.catalog;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.IngestTiming;
import io.sluice.engine.store.RocksStore;
import io.sluice.model.error.TableBusyException;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.schema.Column;
import io.sluice.model.schema.ColumnType;
import io.sluice.model.schema.IndexColumn;
import io.sluice.model.schema.IndexDef;
import io.sluice.model.schema.TableDef;
import io.sluice.model.schema.TypeKind;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests what writes of rows, prepared branches, imports and drops keep from each other. */
class WriteGuardTest {
    private static final long CACHE_BYTES = 1 << 20;
    private static final List<IndexChecksum> SUMS =
            List.of(new IndexChecksum(IndexDef.PRIMARY_NAME, new KvChecksum(3, 40, 7)));
    private static final TableDef TABLE = new TableDef(
            "t",
            List.of(new Column(1, "a", new ColumnType(TypeKind.DECIMAL, 12, 2, 0), false, false)),
            new IndexDef(
                    1,
                    IndexDef.PRIMARY_NAME,
                    true,
                    List.of(new IndexColumn(0, IndexColumn.Direction.ASC)),
                    List.of(),
                    null),
            List.of(),
            List.of());
    private static final int ID = 1;

    /** One step a line, and its outcome; then the publications, and the first and the last one of the table. */
    private static final String SCRIPT = """
            write        | refused            0 0 0   there is no table
            import       | begun              0 0 0
            write        | refused            0 0 0   it is not published
            publish      | done               1 1 1
            write        | t                  1 1 1
            written      | done               1 1 1
            import       | begun              1 1 1
            write        | refused            1 1 1   the import compares its rows with those of the table
            publish      | done               2 1 2
            write        | t                  2 1 2
            prepared     | done               2 1 2
            write        | t                  2 1 2   conflicts of rows are found elsewhere
            written      | done               2 1 2
            import       | busy               2 1 2   its rows would be under those of the branch
            drop         | busy               2 1 2
            decided drop | dropped            2 1 2   the cluster does not wait for a branch in doubt
            write        | refused            2 1 2
            commit       | nothing            2 1 2   the branch commits without the table
            written      | done               2 1 2
            decided      | done               2 1 2
            import       | begun              2 1 2
            """;

    @Test
    void writesBranchesImportsAndDropsExcludeEachOther(@TempDir Path temp) {
        StringBuilder seen = new StringBuilder();
        try (RocksStore store = RocksStore.open(temp.resolve("db"), CACHE_BYTES)) {
            Catalog catalog = Catalog.load(store);
            WriteGuard guard = catalog.guard();
            for (String line : SCRIPT.lines().toList()) {
                String outcome;
                try {
                    outcome = step(catalog, line.substring(0, line.indexOf('|')).strip());
                } catch (TableBusyException e) {
                    outcome = "busy";
                }
                String comment = line.replaceFirst("^[^|]*\\| \\S+ +\\S+ \\S+ \\S+", "");
                seen.append(line, 0, line.indexOf('|'))
                        .append(String.format("| %-18s ", outcome))
                        .append(guard.publications() + " " + guard.firstPublished(ID) + " " + guard.lastPublished(ID))
                        .append(comment)
                        .append('\n');
            }
        }
        assertEquals(SCRIPT, seen.toString());
    }

    private static String step(Catalog catalog, String step) {
        WriteGuard guard = catalog.guard();
        Set<Integer> tables = Set.of(ID);
        switch (step) {
            case "write" -> {
                return names(guard.begin(tables));
            }
            case "commit" -> {
                return names(guard.beginRest(tables));
            }
            case "written" -> guard.end(tables, Map.of());
            case "prepared" -> guard.prepare(tables);
            case "decided" -> guard.decide(tables);
            case "import" -> {
                boolean append = catalog.table(ID) != null;
                catalog.begin(
                        append ? ImportRequest.append(TABLE) : ImportRequest.of(TABLE, IngestTiming.AT_END), 1000);
                return "begun";
            }
            case "publish" -> catalog.publish(catalog.imports().all().get(0).id(), SUMS, 2000);
            case "drop" -> catalog.drop("t");
            case "decided drop" -> {
                catalog.drops().finish(Objects.requireNonNull(catalog.dropDecided("t")));
                return "dropped";
            }
            default -> throw new IllegalArgumentException(step);
        }
        return "done";
    }

    private static String names(@Nullable Map<Integer, TableRecord> tables) {
        if (tables == null) {
            return "refused";
        }
        return tables.isEmpty()
                ? "nothing"
                : tables.values().stream().map(table -> table.table().name()).collect(Collectors.joining(" "));
    }
}
