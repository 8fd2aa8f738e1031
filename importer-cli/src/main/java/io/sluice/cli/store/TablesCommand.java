package io.sluice.cli.store;

import io.sluice.api.node.NodeClient;
import io.sluice.api.node.TableStatus;
import io.sluice.cli.node.LocalNodes;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.Json;
import io.sluice.cli.output.Output;
import io.sluice.cli.output.TextTable;
import io.sluice.model.error.OperationFailedException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code sluice tables}: what a store holds. */
@Command(name = "tables", description = "List the tables of a store.")
@SuppressWarnings("NullAway.Init") // picocli sets what is required
public final class TablesCommand extends StoreCommand {
    @Option(names = "--json", description = "Print one JSON object per table and line.")
    boolean json;

    public TablesCommand(LocalNodes nodes, Console console) {
        super(nodes, console::output);
    }

    @Override
    protected void run(NodeClient node, Output out) {
        List<TableStatus> tables = node.tables();
        if (json) {
            tables.forEach(table -> out.line(json(table)));
        } else {
            text(tables).lines().forEach(out::line);
        }
        List<String> incomplete = tables.stream()
                .map(TableStatus::incomplete)
                .filter(Objects::nonNull)
                .toList();
        if (!incomplete.isEmpty()) {
            throw new OperationFailedException(String.join("\n", incomplete));
        }
    }

    /** Null when a node that was not asked may count otherwise. */
    private static @Nullable Long rows(TableStatus status) {
        return status.counted() && status.incomplete() == null ? status.rows() : null;
    }

    private static String rowsText(TableStatus status) {
        Long rows = rows(status);
        if (rows == null) {
            return status.incomplete() == null ? "unknown" : "incomplete";
        }
        return rows.toString();
    }

    private static TextTable text(List<TableStatus> tables) {
        TextTable text = new TextTable("table", "id", "rows", "indexes", "published");
        for (TableStatus status : tables) {
            text.row(
                    status.table().name(),
                    String.valueOf(status.table().id()),
                    rowsText(status),
                    String.valueOf(status.table().indexes().size()),
                    status.publishedAt().toString());
        }
        return text;
    }

    private static String json(TableStatus status) {
        return Json.object(json -> {
            json.writeStringField("table", status.table().name());
            json.writeNumberField("id", status.table().id());
            Long rows = rows(status);
            if (rows == null) {
                json.writeNullField("rows");
            } else {
                json.writeNumberField("rows", rows);
            }
            json.writeStringField("publishedAt", status.publishedAt().toString());
            if (rows == null) {
                json.writeNullField("kvs");
            } else {
                Json.kvs(json, status.imported());
            }
            if (status.incomplete() != null) {
                json.writeStringField("incomplete", status.incomplete());
            }
        });
    }
}
