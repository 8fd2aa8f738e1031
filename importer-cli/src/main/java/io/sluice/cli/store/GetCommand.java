package io.sluice.cli.store;

import io.sluice.api.node.NodeClient;
import io.sluice.cli.node.LocalNodes;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.Output;
import io.sluice.cli.output.RowView;
import io.sluice.cli.output.RowView.Format;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.schema.TableDef;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sluice get}: one row by its primary key. */
@Command(name = "get", description = "Print the row with a primary key; exit code 1 if there is none.")
@SuppressWarnings("NullAway.Init") // picocli sets what is required
public final class GetCommand extends StoreCommand {
    @Parameters(index = "0", paramLabel = "TABLE", description = "Name of the table.")
    String table;

    @Parameters(
            index = "1..*",
            arity = "1..*",
            paramLabel = "KEY",
            description = "One value per primary key column, in key order. Put -- before values that begin with -.")
    List<String> key;

    @Option(names = "--json", description = "Print the row as a JSON object.")
    boolean json;

    @Option(names = "--format", paramLabel = "F", description = "Output format: text (default), csv, or json.")
    @Nullable
    Format format;

    public GetCommand(LocalNodes nodes, Console console) {
        super(nodes, console::data);
    }

    @Override
    protected void check() {
        if (json && format != null && format != Format.JSON) {
            throw new BadInputException("--json and --format " + format.name().toLowerCase(Locale.ROOT)
                    + " contradict each other; give one of them");
        }
    }

    @Override
    protected void run(NodeClient node, Output out) {
        TableDef def = table(node, table).table().def();
        checkKey(def);
        List<@Nullable String> row = node.get(table, key);
        if (row == null) {
            throw new OperationFailedException(
                    "table " + table + " has no row with primary key (" + String.join(", ", key) + ")");
        }
        Format chosen = format == null ? json ? Format.JSON : Format.TEXT : format;
        new RowView(def, false).lines(row, chosen).forEach(out::line);
    }

    private void checkKey(TableDef def) {
        List<String> names = def.primary().positions().stream()
                .map(column -> def.columns().get(column).name())
                .toList();
        if (names.size() != key.size()) {
            throw new BadInputException("the primary key of " + table + " is (" + String.join(", ", names) + "): give "
                    + names.size() + (names.size() == 1 ? " value, not " : " values, not ") + key.size());
        }
    }
}
