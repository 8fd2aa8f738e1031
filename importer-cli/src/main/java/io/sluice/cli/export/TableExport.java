package io.sluice.cli.export;

import io.sluice.api.node.ScanRequest;
import io.sluice.api.node.TableDigest;
import io.sluice.api.node.TableSource;
import io.sluice.api.node.TableStatus;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.kv.IndexKeys;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.schema.DdlText;
import io.sluice.model.schema.Table;
import io.sluice.model.schema.TableDef;
import io.sluice.model.thread.Daemons;
import io.sluice.model.thread.Interrupts;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * One export:
 *
 * <ol>
 *   <li>note the checksums of the table
 *   <li>cut its primary index into parts of about equal size
 *   <li>take the target, which no other export may write meanwhile
 *   <li>scan the parts in parallel, each into a file with a temporary name, and sync the files
 *   <li>compare the checksum of the rows that were read with the one noted: unless the source is a snapshot, each part
 *       is read at a moment of its own
 *   <li>remove an earlier export if asked; rename the files; write the manifest
 * </ol>
 *
 * <p>Memory: a buffer per file, and a row group per file for Parquet. A failure or an interrupt removes the files.
 */
public final class TableExport {
    private static final int MOST_THREADS = 8;

    private final TableSource source;
    private final TableDef def;
    private final ExportTarget target;
    private final ExportFormat format;
    private final List<Integer> columns;

    /**
     * Prepares an export.
     *
     * @param columns names of the columns to export, in order; null: all that are not hidden
     * @throws BadInputException if the table has no such column
     */
    public TableExport(
            TableSource source,
            TableDef def,
            ExportTarget target,
            ExportFormat format,
            @Nullable List<String> columns) {
        this.source = source;
        this.def = def;
        this.target = target;
        this.format = format;
        this.columns = columns == null ? def.visibleColumns() : positions(def, columns);
    }

    private static List<Integer> positions(TableDef def, List<String> names) {
        List<Integer> positions = new ArrayList<>();
        for (String name : names) {
            int position = def.columnIndex(name.strip());
            if (position < 0) {
                throw new BadInputException("--columns: table " + def.name() + " has no column " + name + "; it has "
                        + String.join(", ", def.visibleNames()));
            }
            if (positions.contains(position)) {
                throw new BadInputException("--columns: names column " + name + " twice; name it once");
            }
            positions.add(position);
        }
        return positions;
    }

    /**
     * Runs the export.
     *
     * @param parts wanted number of files
     * @throws OperationFailedException if the table changes meanwhile, or a file cannot be written
     */
    @SuppressWarnings("try") // the claim acts by being open
    public ExportManifest run(int parts) {
        TableStatus status = require();
        TableDigest before = source.digest(status);
        List<KeySpan> spans = spans(status, parts);
        List<Path> paths = new ArrayList<>();
        for (int i = 0; i < spans.size(); i++) {
            paths.add(target.file(i, format));
        }
        try (ExportTarget.Claim claim = target.claim(paths)) {
            target.prepare();
            return writeAndPublish(status.table(), before, spans, paths);
        }
    }

    private ExportManifest writeAndPublish(Table table, TableDigest before, List<KeySpan> spans, List<Path> paths) {
        boolean done = false;
        try {
            List<PartWriter.Part> written = write(table, spans, paths);
            List<ExportManifest.File> files =
                    written.stream().map(PartWriter.Part::file).toList();
            long rows = files.stream().mapToLong(ExportManifest.File::rows).sum();
            KvChecksum read = written.stream().map(PartWriter.Part::sum).reduce(KvChecksum.EMPTY, KvChecksum::plus);
            if (!source.digest(require()).equals(before)) {
                throw new OperationFailedException("table " + def.name() + " changed while it was exported: " + rows
                        + " rows were read, it had " + before.rows()
                        + "; export it again when no statement or import changes it");
            }
            if (!read.equals(before.indexes().get(0).sum())) {
                throw new OperationFailedException(
                        "table " + def.name() + ": the " + rows + " rows that were read are not"
                                + " those of its checksum: it was changed while it was exported, and changed back, or it is damaged."
                                + " Export it again when no statement or import changes it; if that fails too, run 'sluice digest"
                                + " " + def.name() + "', which checks every KV");
            }
            ExportManifest manifest = new ExportManifest(
                    before,
                    format,
                    columns.stream().map(each -> def.columns().get(each).name()).toList(),
                    DdlText.withParents(def, this::definition),
                    columns.containsAll(def.visibleColumns()) ? importCommand() : null,
                    files);
            target.publish(paths, manifest);
            done = true;
            return manifest;
        } finally {
            if (!done) {
                target.discard(paths);
            }
        }
    }

    private TableStatus require() {
        TableStatus status = source.table(def.name());
        if (status == null) {
            throw new OperationFailedException("table " + def.name() + " was dropped while it was exported");
        }
        if (status.incomplete() != null) {
            throw new OperationFailedException(status.incomplete());
        }
        return status;
    }

    private List<KeySpan> spans(TableStatus status, int parts) {
        KeySpan whole = new IndexKeys(status.table()).span(0);
        List<KeySpan> spans = new ArrayList<>();
        byte[] start = whole.start();
        for (byte[] key : parts == 1 ? List.<byte[]>of() : source.splitKeys(def.name(), parts)) {
            spans.add(new KeySpan(start, key));
            start = key;
        }
        spans.add(new KeySpan(start, whole.end()));
        return spans;
    }

    private List<PartWriter.Part> write(Table table, List<KeySpan> spans, List<Path> paths) {
        AtomicBoolean stopped = new AtomicBoolean();
        PartWriter writer = new PartWriter(source, table, columns, format, stopped::get);
        int threads = Math.min(
                Math.min(spans.size(), MOST_THREADS), Runtime.getRuntime().availableProcessors());
        ExecutorService pool = Executors.newFixedThreadPool(threads, Daemons.named("sluice-export"));
        try {
            List<Future<PartWriter.@Nullable Part>> running = new ArrayList<>();
            for (int i = 0; i < spans.size(); i++) {
                ScanRequest scan =
                        new ScanRequest(def.name(), null, List.of(), List.of(), Long.MAX_VALUE).within(spans.get(i));
                Path path = paths.get(i);
                running.add(pool.submit(() -> part(writer, scan, path, stopped)));
            }
            return results(running);
        } finally {
            stopped.set(true);
            pool.shutdown();
            // Parts stop at their next row; their files must not be removed before.
            Interrupts.outlast(() -> {
                while (!pool.awaitTermination(1, TimeUnit.SECONDS)) {
                    // Not all have stopped.
                }
            });
        }
    }

    private PartWriter.@Nullable Part part(PartWriter writer, ScanRequest scan, Path path, AtomicBoolean stopped) {
        boolean done = false;
        try {
            PartWriter.Part part = stopped.get() ? null : writer.write(scan, path);
            if (part != null) {
                target.take(path);
            }
            done = true;
            return part;
        } finally {
            if (!done) {
                stopped.set(true);
            }
        }
    }

    private static List<PartWriter.Part> results(List<Future<PartWriter.@Nullable Part>> running) {
        List<PartWriter.Part> parts = new ArrayList<>();
        RuntimeException failure = null;
        for (Future<PartWriter.@Nullable Part> each : running) {
            try {
                PartWriter.Part part = each.get();
                if (part != null) {
                    parts.add(part);
                }
            } catch (ExecutionException e) {
                if (e.getCause() instanceof Error error) {
                    throw error;
                }
                RuntimeException cause = e.getCause() instanceof RuntimeException known
                        ? known
                        : new OperationFailedException("the export failed: " + e.getCause(), e);
                if (failure == null) {
                    failure = cause;
                } else {
                    failure.addSuppressed(cause);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new OperationFailedException("the export was interrupted", e);
            }
        }
        if (failure != null) {
            throw failure;
        }
        return parts;
    }

    private @Nullable TableDef definition(String name) {
        TableStatus status = source.table(name);
        return status == null ? null : status.table().def();
    }

    private String importCommand() {
        List<String> words = new ArrayList<>(List.of("sluice", "import"));
        String files = quoted(target.toString());
        words.add("--schema");
        words.add(
                target.directory() && target.objects() == null
                        ? quoted(target.path().resolve(ExportTarget.SCHEMA).toString())
                        : "SCHEMA.sql");
        words.addAll(List.of("--table", quoted(def.name()), "--format", format.label()));
        words.addAll(format.importOptions(columns.size()));
        words.addAll(List.of("--store", "STORE"));
        words.add(target.directory() ? files.replaceAll("/$", "") + "/part-*." + format.label() : files);
        return String.join(" ", words);
    }

    /** A word for a shell. */
    private static String quoted(String word) {
        return word.matches("[A-Za-z0-9_@%+=:,./-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
    }
}
