package io.sluice.cli.store;

import io.sluice.api.node.NodeClient;
import io.sluice.cli.export.ExportFormat;
import io.sluice.cli.export.ExportManifest;
import io.sluice.cli.export.ExportTarget;
import io.sluice.cli.export.TableExport;
import io.sluice.cli.node.LocalNodes;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.Output;
import io.sluice.cli.progress.Units;
import io.sluice.importer.options.S3Options;
import io.sluice.model.error.BadInputException;
import io.sluice.model.schema.TableDef;
import io.sluice.sql.distributed.ClusterSnapshot;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sluice export}: a table as files that an import reads back to the same digest. */
@Command(
        name = "export",
        description = "Write the rows of a table to files, in parallel by key ranges, with a manifest.",
        footer = {
            "",
            "A directory or prefix gets files part-00000.csv and so on, schema.sql, and at last manifest.json."
        })
@SuppressWarnings("NullAway.Init") // picocli sets what is required
public final class ExportCommand extends StoreCommand {
    private final Console console;

    @Parameters(index = "0", paramLabel = "TABLE", description = "Name of the table.")
    String table;

    @Option(
            names = "--to",
            required = true,
            paramLabel = "FILE|DIR|s3://BUCKET/PREFIX",
            description = "File to write; or a directory: one that exists, a path that ends with /, or any path with"
                    + " --parts; or a prefix in an object store.")
    String to;

    @Option(
            names = "--format",
            paramLabel = "F",
            description = "csv, jsonl, avro or parquet. Default: by the suffix of --to, else csv.")
    @Nullable
    ExportFormat format;

    @Option(
            names = "--columns",
            paramLabel = "A,B,C",
            split = ",",
            description = "Columns to write, in this order. Default: all.")
    @Nullable
    List<String> columns;

    @Option(
            names = "--parts",
            paramLabel = "N",
            description = "Number of files in a directory, each with a range of keys; a small table has fewer."
                    + " Default: the number of processors.")
    @Nullable
    Integer parts;

    @Option(names = "--overwrite", description = "Replace the file, or the files of an earlier export.")
    boolean overwrite;

    @Mixin
    S3Options s3;

    @Option(names = "--json", description = "Print the manifest, a JSON object.")
    boolean json;

    private ExportTarget target;

    public ExportCommand(LocalNodes nodes, Console console) {
        super(nodes, console::output);
        this.console = console;
    }

    @Override
    protected void check() {
        if (parts != null && (parts < 1 || parts > NodeClient.MOST_PARTS)) {
            throw new BadInputException("--parts " + parts + ": must be from 1 to " + NodeClient.MOST_PARTS);
        }
        target = ExportTarget.of(to, parts != null, overwrite, s3.settings());
    }

    @Override
    protected void run(NodeClient node, Output out) {
        TableDef def = table(node, table).table().def();
        ExportManifest manifest;
        try (ClusterSnapshot snapshot = snapshot(node, List.of(table), this::warn)) {
            manifest = new TableExport(snapshot == null ? node : snapshot, def, target, format(), columns).run(parts());
        }
        if (json) {
            out.line(manifest.json());
            return;
        }
        console.err()
                .println(String.format(
                        Locale.ROOT,
                        "exported %s of %s to %s: %s, %s, digest %s",
                        Units.number(manifest.digest().rows(), "row"),
                        table,
                        target,
                        Units.number(manifest.files().size(), "file"),
                        Units.bytes((double) manifest.bytes()),
                        manifest.digest().digest()));
        if (manifest.importCommand() != null) {
            console.err().println("import with: " + manifest.importCommand());
        }
    }

    private void warn(String reason) {
        console.err()
                .println("warning: table " + table + " is read as it is, and must not change meanwhile: " + reason);
    }

    private int parts() {
        if (!target.directory()) {
            return 1;
        }
        return parts == null ? Runtime.getRuntime().availableProcessors() : parts;
    }

    private ExportFormat format() {
        return format != null
                ? format
                : Arrays.stream(ExportFormat.values())
                        .filter(each -> to.endsWith("." + each.label()))
                        .findFirst()
                        .orElse(ExportFormat.CSV);
    }
}
