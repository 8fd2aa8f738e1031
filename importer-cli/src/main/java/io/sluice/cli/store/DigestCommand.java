package io.sluice.cli.store;

import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.NodeClient;
import io.sluice.api.node.TableDigest;
import io.sluice.cli.node.LocalNodes;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.Json;
import io.sluice.cli.output.Output;
import io.sluice.cli.output.TextTable;
import io.sluice.cli.progress.Units;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sluice digest}: prints the checksums of a table, to compare it with another. */
@Command(
        name = "digest",
        description = "Read every KV of a table and print counts and digests that do not depend on their order.")
@SuppressWarnings("NullAway.Init") // picocli sets what is required
public final class DigestCommand extends StoreCommand {
    @Parameters(index = "0", paramLabel = "TABLE", description = "Name of the table.")
    String table;

    @Option(names = "--json", description = "Print a JSON object.")
    boolean json;

    public DigestCommand(LocalNodes nodes, Console console) {
        super(nodes, console::output);
    }

    @Override
    protected void run(NodeClient node, Output out) {
        TableDigest digest = node.digest(table);
        if (json) {
            out.line(json(digest));
        } else {
            text(digest).lines().forEach(out::line);
            out.line(Units.plain(digest.rows(), "row") + ", digest " + digest.digest());
        }
    }

    private static TextTable text(TableDigest digest) {
        TextTable text = new TextTable("index", "kvs", "bytes", "digest");
        for (IndexChecksum index : digest.indexes()) {
            text.row(
                    index.index(),
                    String.valueOf(index.sum().count()),
                    String.valueOf(index.sum().bytes()),
                    index.sum().digest());
        }
        return text;
    }

    private static String json(TableDigest digest) {
        return Json.object(json -> {
            json.writeStringField("table", digest.table());
            json.writeNumberField("rows", digest.rows());
            json.writeStringField("digest", digest.digest());
            Json.objects(json, "indexes", digest.indexes(), index -> {
                json.writeStringField("index", index.index());
                json.writeNumberField("kvs", index.sum().count());
                json.writeNumberField("bytes", index.sum().bytes());
                json.writeStringField("digest", index.sum().digest());
            });
        });
    }
}
