package io.sluice.cli.store;

import io.sluice.api.node.NodeClient;
import io.sluice.api.node.TableTuning;
import io.sluice.api.node.TuningStatus;
import io.sluice.cli.node.LocalNodes;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.Json;
import io.sluice.cli.output.Output;
import io.sluice.model.error.OperationFailedException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sluice tune}: how the tree of a table behaves. */
@Command(
        name = "tune",
        description = "Change the settings of a table's tree. Without a setting, show them.",
        footer = {
            "",
            "Settings hold for good, for the table and all that are interleaved with it. Counts are of all tables of the nodes,"
                    + " since these were started."
        })
@SuppressWarnings("NullAway.Init") // picocli sets what is required
public final class TuneCommand extends StoreCommand {
    @Parameters(index = "0", paramLabel = "TABLE", description = "Name of the table.")
    String table;

    @Option(
            names = "--tombstone-conversion",
            paramLabel = "N",
            description = "Scans that meet N deleted keys in a row put a range tombstone over them; 0: they never do.")
    @Nullable
    Integer tombstoneConversion;

    @Option(names = "--json", description = "Print a JSON object.")
    boolean json;

    public TuneCommand(LocalNodes nodes, Console console) {
        super(nodes, console::output);
    }

    @Override
    protected void run(NodeClient node, Output out) {
        table(node, table);
        TuningStatus status = tombstoneConversion == null
                ? node.tuning(table)
                : node.tune(table, new TableTuning(tombstoneConversion));
        if (json) {
            out.line(json(status));
        } else {
            text(status, out);
        }
        if (tombstoneConversion != null && status.incomplete() != null) {
            throw new OperationFailedException(
                    "table " + table + " is tuned on the nodes that answer, others keep their" + " settings: "
                            + status.incomplete() + "; run this again when they are back");
        }
    }

    private static void text(TuningStatus status, Output out) {
        int least = status.tuning().tombstoneConversion();
        out.line("tombstone conversion: "
                + (least == 0 ? "off" : "from " + least + " deleted keys in a row")
                + (status.inForce() ? "" : " (not while an import is under way)"));
        if (status.incomplete() != null) {
            out.line("incomplete: " + status.incomplete());
        }
        out.line("range tombstones made by scans: " + status.converted() + ", abandoned: " + status.abandoned());
    }

    private String json(TuningStatus status) {
        return Json.object(json -> {
            json.writeStringField("table", table);
            json.writeNumberField("tombstoneConversion", status.tuning().tombstoneConversion());
            json.writeBooleanField("inForce", status.inForce());
            json.writeNumberField("converted", status.converted());
            json.writeNumberField("abandoned", status.abandoned());
            json.writeStringField("incomplete", status.incomplete());
        });
    }
}
