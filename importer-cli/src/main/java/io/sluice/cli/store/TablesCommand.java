package io.sluice.cli.store;

import io.sluice.api.node.IndexSum;
import io.sluice.api.node.NodeClient;
import io.sluice.api.node.TableStatus;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.Json;
import io.sluice.cli.output.Output;
import io.sluice.cli.output.TextTable;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice tables}: what a store holds. */
@Command(name = "tables", description = "List the tables of a store.")
@SuppressWarnings("NullAway.Init") // picocli sets what is required
public final class TablesCommand implements Callable<Integer> {
    private final NodeOpener nodes;
    private final Console console;

    @Mixin
    StoreOptions store;

    @Option(names = "--json", description = "One JSON object per table and line.")
    boolean json;

    public TablesCommand(NodeOpener nodes, Console console) {
        this.nodes = nodes;
        this.console = console;
    }

    @Override
    public Integer call() {
        try (NodeClient node = store.open(nodes);
                Output out = console.output()) {
            List<TableStatus> tables = node.tables();
            if (json) {
                tables.forEach(table -> out.line(json(table)));
            } else {
                text(tables).lines().forEach(out::line);
            }
        }
        return 0;
    }

    private static TextTable text(List<TableStatus> tables) {
        TextTable text = new TextTable("table", "id", "rows", "indexes", "published");
        for (TableStatus status : tables) {
            text.row(
                    status.table().name(),
                    String.valueOf(status.table().id()),
                    String.valueOf(status.rows()),
                    String.valueOf(status.table().indexes().size()),
                    status.publishedAt().toString());
        }
        return text;
    }

    private static String json(TableStatus status) {
        return Json.line(json -> {
            json.writeStartObject();
            json.writeStringField("table", status.table().name());
            json.writeNumberField("id", status.table().id());
            json.writeNumberField("rows", status.rows());
            json.writeStringField("publishedAt", status.publishedAt().toString());
            json.writeObjectFieldStart("kvs");
            for (IndexSum index : status.imported()) {
                json.writeNumberField(index.index(), index.sum().count());
            }
            json.writeEndObject();
            json.writeEndObject();
        });
    }
}
