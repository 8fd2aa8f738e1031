package io.sluice.node;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.IngestTiming;
import io.sluice.model.error.BadInputException;
import io.sluice.model.schema.TableDef;
import io.sluice.testing.Script;
import io.sluice.testing.TestSsts;
import io.sluice.testing.TestTables;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests by scripts what a store holds after its process ended at any durable step. The end is simulated by a copy of
 * the store at that step, which goes on in its place.
 *
 * <pre>
 * import TABLE ROWS [ends at POINT]    imports customers, orders (interleaved in them) or accounts
 * append TABLE FROM TO [ends at POINT] adds rows of these numbers
 * drop TABLE
 * restart                              an orderly end, and a start
 * state                                tables, and what is not finished
 * </pre>
 */
class RecoveryScriptTest implements Script.Subject {
    private static final int AT = 2;

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    Path temp;

    @SuppressWarnings("NullAway.Init") // opened before each test
    private StorageNode node;

    private int copies;
    private @Nullable String endAt;

    @BeforeEach
    void open() {
        node = StorageNode.open(store(), settings());
    }

    @AfterEach
    void close() {
        node.close();
    }

    @Test
    void scriptAnswersAreAsWritten() throws Exception {
        Script.check(RecoveryScriptTest.class, "recovery.txt", this);
    }

    private Path store() {
        return temp.resolve("store-" + copies);
    }

    private NodeSettings settings() {
        return NodeSettings.defaults().withFaults(passed -> {
            if (passed.equals(endAt)) {
                endAt = null;
                StoreCopy.take(store(), temp.resolve("store-" + (copies + 1)));
            }
        });
    }

    @Override
    public String answer(String command, List<String> args) throws Exception {
        if (command.equals("state")) {
            return state();
        }
        if (command.equals("restart")) {
            node.close();
            open();
            return recovered();
        }
        int ends = args.indexOf("ends");
        endAt = ends < 0 ? null : args.get(ends + AT);
        try {
            change(command, args);
        } catch (BadInputException e) {
            return "refused: " + e.getMessage();
        }
        if (ends < 0) {
            return "";
        }
        if (endAt != null) {
            throw new IllegalStateException(endAt + " was not reached");
        }
        node.close();
        copies++;
        open();
        return recovered();
    }

    private void change(String command, List<String> args) throws Exception {
        String table = args.get(0);
        switch (command) {
            case "import" -> load(ImportRequest.of(def(table), IngestTiming.AT_END), 0, Integer.parseInt(args.get(1)));
            case "append" ->
                load(ImportRequest.append(def(table)), Integer.parseInt(args.get(1)), Integer.parseInt(args.get(AT)));
            case "drop" -> node.drop(table);
            default -> throw new IllegalArgumentException("no such command: " + command);
        }
    }

    private void load(ImportRequest request, int from, int to) throws Exception {
        Path ssts = Files.createTempDirectory(temp, "ssts");
        List<List<@Nullable String>> rows = rows(request.table().name(), to).subList(from, to);
        try (ImportSession session = node.beginImport(request)) {
            List<IndexChecksum> sums = TestSsts.shipAll(session, rows, ssts);
            session.finalizeIngest();
            session.publish(
                    request.append()
                            ? Objects.requireNonNull(session.append())
                                    .checkOverlap(10)
                                    .after()
                            : sums);
        }
    }

    private static TableDef def(String table) {
        return switch (table) {
            case "customers" -> TestTables.customers();
            case "orders" -> TestTables.orders();
            default -> TestTables.accounts(table);
        };
    }

    private static List<List<@Nullable String>> rows(String table, int count) {
        return switch (table) {
            case "customers" -> TestTables.customerRows(count);
            case "orders" -> TestTables.orderRows(count);
            default -> TestTables.accountRows(count);
        };
    }

    private String recovered() {
        return node.recovered().isEmpty() ? "nothing to recover" : String.join("\n", node.recovered());
    }

    private String state() throws Exception {
        List<String> lines = new ArrayList<>();
        node.catalog()
                .tables()
                .forEach(table -> lines.add(table.table().name() + ", " + table.family() + ": "
                        + node.digest(table.table().name()).rows() + " rows"));
        if (lines.isEmpty()) {
            lines.add("no tables");
        }
        node.catalog()
                .imports()
                .all()
                .forEach(running -> lines.add("import of " + running.table().name() + ": "
                        + running.progress().phase()));
        node.catalog()
                .drops()
                .orphans()
                .forEach(orphan -> lines.add("orphaned KVs of " + orphan.name() + " in " + orphan.family()));
        node.catalog().drops().pending().forEach(drop -> lines.add("pending drop of " + drop.family()));
        try (Stream<Path> staged = Files.list(store().resolve("staging"))) {
            String left = staged.map(path -> String.valueOf(path.getFileName())).collect(Collectors.joining(" "));
            if (!left.isEmpty()) {
                lines.add("staged: " + left);
            }
        }
        return String.join("\n", lines);
    }
}
