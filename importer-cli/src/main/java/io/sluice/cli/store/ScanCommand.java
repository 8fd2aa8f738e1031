package io.sluice.cli.store;

import io.sluice.api.node.NodeClient;
import io.sluice.api.node.RowCursor;
import io.sluice.api.node.ScanRequest;
import io.sluice.api.node.TableStatus;
import io.sluice.cli.node.LocalNodes;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.CsvRecord;
import io.sluice.cli.output.Output;
import io.sluice.cli.output.RowView;
import io.sluice.cli.output.RowView.Format;
import io.sluice.model.error.BadInputException;
import io.sluice.sql.distributed.ClusterSnapshot;
import io.sluice.sql.distributed.SnapshotScan;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sluice scan}: rows in the order of an index. */
@Command(
        name = "scan",
        description = "Print rows in the order of an index, from a key (inclusive) to another (exclusive).")
@SuppressWarnings("NullAway.Init") // picocli sets what is required
public final class ScanCommand extends StoreCommand {
    @Parameters(index = "0", paramLabel = "TABLE", description = "Name of the table.")
    String table;

    @Option(names = "--index", paramLabel = "I", description = "Name of the index. Default: the primary key.")
    @Nullable
    String index;

    @Option(
            names = "--from",
            paramLabel = "K1,K2…",
            description =
                    "First key, or the first columns of it, as a CSV record: quote values with commas; an empty one "
                            + "is NULL.")
    @Nullable
    String from;

    @Option(names = "--to", paramLabel = "K1,K2…", description = "Key to stop before.")
    @Nullable
    String to;

    @Option(names = "--limit", paramLabel = "N", description = "Limit of rows to print.")
    long limit = Long.MAX_VALUE;

    @Option(
            names = "--format",
            paramLabel = "F",
            defaultValue = "csv",
            description = "Output format: csv (default), json, or text.")
    Format format;

    @Option(names = "--header", description = "Print the column names as the first CSV record.")
    boolean header;

    @Option(names = "--hidden", description = "Show the hidden row id of a table without a primary key.")
    boolean hidden;

    private final Console console;

    public ScanCommand(LocalNodes nodes, Console console) {
        super(nodes, console::data);
        this.console = console;
    }

    @Override
    protected void check() {
        if (limit < 0) {
            throw new BadInputException("--limit " + limit + ": must not be negative");
        }
        request();
    }

    private ScanRequest request() {
        return new ScanRequest(table, index, key("--from", from), key("--to", to), limit);
    }

    @Override
    protected void run(NodeClient node, Output out) {
        TableStatus status = table(node, table);
        RowView view = new RowView(status.table().def(), hidden);
        if (header && format == Format.CSV) {
            out.line(view.csvHeader());
        }
        try (RowCursor rows = scan(node, status)) {
            for (List<@Nullable String> row = rows.next(); row != null; row = rows.next()) {
                view.lines(row, format).forEach(out::line);
                if (format == Format.TEXT) {
                    out.line("");
                }
            }
        }
    }

    /** The rows; of one moment, if they are on several nodes. */
    private RowCursor scan(NodeClient node, TableStatus status) {
        if (!remote.given() || status.directory().nodes().size() < 2 || status.incomplete() != null) {
            return node.scan(request());
        }
        ClusterSnapshot snapshot =
                snapshot(node, List.of(table), reason -> warn("the rows may be of different moments: " + reason));
        return snapshot == null ? node.scan(request()) : new SnapshotScan(snapshot, request(), node::scan, this::warn);
    }

    private void warn(String warning) {
        console.err().println("warning: " + warning);
    }

    private static List<@Nullable String> key(String option, @Nullable String record) {
        return record == null ? List.of() : CsvRecord.parse(record, option);
    }
}
