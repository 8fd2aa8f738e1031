package io.sluice.importer.job.read;

import io.sluice.importer.bundle.Bundle;
import io.sluice.importer.bundle.BundleJob;
import io.sluice.importer.bundle.BundleSettings;
import io.sluice.importer.bundle.BundleWriter;
import io.sluice.importer.bundle.Manifest;
import io.sluice.importer.decode.Reject;
import io.sluice.importer.decode.RejectSink;
import io.sluice.importer.job.ImportReport;
import io.sluice.importer.job.ImportSettings;
import io.sluice.importer.source.InputFile;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.schema.TableDef;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The reject bundle of a running import, or nothing. Closing completes it. */
public final class OpenBundle implements AutoCloseable {
    private final @Nullable BundleSettings settings;
    /** Whether a later run of the import continues the bundle. */
    private final boolean resumable;

    /** Whether the import is published, or a later run publishes it. */
    private boolean kept;

    private @Nullable BundleWriter writer;
    /** Rejects by reason if there is no bundle; guarded by itself. */
    private final Map<String, Long> unkept = new TreeMap<>();

    private OpenBundle(@Nullable BundleSettings settings, boolean resumable, @Nullable BundleWriter writer) {
        this.settings = settings;
        this.resumable = resumable;
        this.writer = writer;
    }

    /**
     * Creates the bundle of the settings.
     *
     * @throws io.sluice.model.error.BadInputException when the directory cannot be written
     */
    public static OpenBundle of(ImportSettings settings, TableDef table, String mode) {
        return of(settings, table, mode, null);
    }

    /**
     * Creates the bundle of the settings, or continues it.
     *
     * @param job the import if it can be resumed, or null
     * @throws io.sluice.model.error.BadInputException when the directory cannot be written
     */
    public static OpenBundle of(ImportSettings settings, TableDef table, String mode, @Nullable BundleJob job) {
        BundleSettings wanted = settings.rejects().bundle();
        return new OpenBundle(
                wanted,
                job != null,
                wanted == null ? null : BundleWriter.create(wanted, mode, table, settings.format(), job));
    }

    /**
     * Completes the bundle of an import that an earlier run has prepared, after its publication by this one.
     *
     * @param directory where this run has the bundle
     * @param reported where the earlier run had it, perhaps on another machine; null: it had no rejects
     * @return a warning, or null
     */
    public static @Nullable String complete(Path directory, @Nullable String reported) {
        try {
            BundleWriter.complete(directory);
            return reported == null || Files.exists(directory)
                    ? null
                    : "the table is published, and its reject bundle is on another machine, in " + reported
                            + ", and does not say so; " + Bundle.HOW_TO_COMPLETE;
        } catch (OperationFailedException e) {
            return afterPublication(e);
        }
    }

    private static String afterPublication(OperationFailedException e) {
        return "the table is published, and its reject bundle does not say so: " + e.getMessage();
    }

    public RejectSink sink() {
        return writer == null ? this::count : writer;
    }

    private void count(InputFile file, byte @Nullable [] header, long line, Reject reject) {
        synchronized (unkept) {
            BundleWriter.count(unkept, reject.problem().code(), reject.records());
        }
    }

    /** Makes all rejects so far durable. */
    public void sync() {
        if (writer != null) {
            writer.sync();
        }
    }

    /** Writes everything that must not fail after the publication; no more rejects may come. */
    public void prepare() {
        if (byDefault() && writer != null && writer.isEmpty()) {
            remove();
        }
        if (writer != null) {
            writer.prepare();
        }
    }

    /** Keeps the prepared bundle as it is for a later run, which publishes the import unless this one does. */
    public void finished() {
        kept = true;
        ended(Manifest.State.OPEN);
    }

    /**
     * Marks the import as published in the bundle.
     *
     * @return an error text, or null
     */
    @Nullable
    public String published() {
        kept = true;
        try {
            if (writer != null) {
                writer.published();
            }
            return null;
        } catch (OperationFailedException e) {
            return afterPublication(e);
        }
    }

    /** Sets the final state of the import in the bundle. */
    public void ended(Manifest.State state) {
        if (writer != null) {
            writer.ended(state);
        }
    }

    /** Removes the bundle, since the import starts over. */
    public void discard() {
        synchronized (unkept) {
            unkept.clear();
        }
        if (byDefault()) {
            remove();
        } else if (writer != null) {
            writer.discard();
            writer = null;
        }
    }

    /** The directory of the rejects and their number by reason; without a bundle, of those that this run has seen. */
    public ImportReport.Rejects rejects() {
        synchronized (unkept) {
            if (!unkept.isEmpty()) {
                return new ImportReport.Rejects(new TreeMap<>(unkept), null);
            }
        }
        if (writer == null || writer.isEmpty()) {
            return ImportReport.Rejects.NONE;
        }
        return new ImportReport.Rejects(writer.reasons(), writer.directory().toString());
    }

    private void remove() {
        if (writer != null) {
            writer.remove();
            writer = null;
        }
    }

    private boolean byDefault() {
        return settings != null && settings.byDefault();
    }

    @Override
    public void close() {
        // The user did not name a bundle, and no table lacks the rejected rows.
        if (byDefault() && !kept && !resumable) {
            remove();
        }
        if (writer != null) {
            writer.close();
        }
    }
}
