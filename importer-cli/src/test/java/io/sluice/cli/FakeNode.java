package io.sluice.cli;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.KvPage;
import io.sluice.api.node.NodeClient;
import io.sluice.api.node.NodeStatus;
import io.sluice.api.node.RangeDirectory;
import io.sluice.api.node.RowCursor;
import io.sluice.api.node.ScanRequest;
import io.sluice.api.node.TableDigest;
import io.sluice.api.node.TableStatus;
import io.sluice.api.node.TableTuning;
import io.sluice.api.node.TuningStatus;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.schema.Column;
import io.sluice.model.schema.ColumnType;
import io.sluice.model.schema.IndexColumn;
import io.sluice.model.schema.IndexColumn.Direction;
import io.sluice.model.schema.IndexDef;
import io.sluice.model.schema.Table;
import io.sluice.model.schema.TableDef;
import io.sluice.model.schema.TypeKind;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A node with one table of two rows, which remembers what it was asked. */
final class FakeNode implements NodeClient {
    static final TableDef PETS = new TableDef(
            "pets",
            List.of(
                    column(1, "id", TypeKind.INT4),
                    column(2, "name", TypeKind.STRING),
                    column(3, "tame", TypeKind.BOOL),
                    new Column(4, "rowid", ColumnType.of(TypeKind.INT8), false, true)),
            new IndexDef(1, "primary", true, List.of(new IndexColumn(0, Direction.ASC)), List.of(), null),
            List.of(),
            List.of());

    private static final List<List<@Nullable String>> ROWS =
            List.of(Arrays.asList("1", "Rex, the \"dog\"", "true", "77"), Arrays.asList("2", null, "false", "78"));

    final List<ScanRequest> scans = new ArrayList<>();
    final List<String> dropped = new ArrayList<>();
    TableTuning tuning = TableTuning.USUAL;
    boolean closed;

    @Override
    public List<TableStatus> tables() {
        return List.of(pets());
    }

    @Override
    public @Nullable TableStatus table(String name) {
        if (name.equals("broken")) {
            throw new IllegalStateException("boom");
        }
        return name.equals("pets") ? pets() : null;
    }

    @Override
    public NodeStatus status() {
        return new NodeStatus("fake", "0", 54, new NodeStatus.Load(0, 0, 0, 0, Long.MAX_VALUE, ""));
    }

    @Override
    public ImportSession beginImport(ImportRequest request) {
        throw new UnsupportedOperationException();
    }

    @Override
    public @Nullable List<@Nullable String> get(String table, List<String> key) {
        for (List<@Nullable String> row : ROWS) {
            if (key.get(0).equals(row.get(0))) {
                return row;
            }
        }
        return null;
    }

    @Override
    public RowCursor scan(ScanRequest request) {
        scans.add(request);
        Iterator<List<@Nullable String>> rows = ROWS.iterator();
        return new RowCursor() {
            @Override
            public @Nullable List<@Nullable String> next() {
                return rows.hasNext() ? rows.next() : null;
            }

            @Override
            public void close() {}
        };
    }

    @Override
    public List<byte[]> splitKeys(String table, int parts) {
        return List.of();
    }

    @Override
    public void readKvs(String table, KeySpan span, Predicate<KvPage> pages) {
        throw new UnsupportedOperationException();
    }

    @Override
    public TableDigest digest(String table) {
        return new TableDigest(table, List.of(new IndexChecksum("primary", new KvChecksum(2, 64, 255))));
    }

    @Override
    public TableDigest digest(String table, List<KeySpan> spans) {
        throw new UnsupportedOperationException();
    }

    @Override
    public TuningStatus tuning(String table) {
        return new TuningStatus(tuning, true, 2, 1);
    }

    @Override
    public TuningStatus tune(String table, TableTuning other) {
        tuning = other;
        return tuning(table);
    }

    @Override
    public void drop(String table) {
        dropped.add(table);
    }

    @Override
    public void close() {
        closed = true;
    }

    private static Column column(int id, String name, TypeKind kind) {
        return new Column(id, name, ColumnType.of(kind), id != 1, false);
    }

    private static TableStatus pets() {
        List<IndexChecksum> imported = List.of(new IndexChecksum("primary", new KvChecksum(2, 64, 255)));
        return new TableStatus(
                Table.bind(PETS, 53, parent -> null), imported, Instant.EPOCH, RangeDirectory.SINGLE_NODE, imported);
    }
}
