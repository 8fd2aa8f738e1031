package io.sluice.importer.job;

import io.sluice.api.error.OperationFailedException;
import io.sluice.api.error.SluiceException;
import io.sluice.importer.bundle.BundleJob;
import io.sluice.importer.bundle.BundleSettings;
import io.sluice.importer.bundle.BundleWriter;
import io.sluice.importer.bundle.Manifest;
import io.sluice.importer.decode.RejectSink;
import org.jspecify.annotations.Nullable;

/** The bundle of a running import, if it has one. Closing completes it. */
final class OpenBundle implements AutoCloseable {
    private final @Nullable BundleSettings settings;
    /** Whether a later run of the import goes on with it. */
    private final boolean resumable;

    private boolean published;
    private @Nullable BundleWriter writer;

    private OpenBundle(@Nullable BundleSettings settings, boolean resumable, @Nullable BundleWriter writer) {
        this.settings = settings;
        this.resumable = resumable;
        this.writer = writer;
    }

    /**
     * Begins the bundle that the settings ask for.
     *
     * @throws io.sluice.api.error.BadInputException when it cannot be written there
     */
    static OpenBundle of(ImportSettings settings, String table, String mode) {
        return of(settings, table, mode, null);
    }

    /**
     * Begins the bundle that the settings ask for, or goes on with it.
     *
     * @param job the import, when it can be resumed; or null
     * @throws io.sluice.api.error.BadInputException when it cannot be written there
     */
    static OpenBundle of(ImportSettings settings, String table, String mode, @Nullable BundleJob job) {
        BundleSettings wanted = settings.rejects();
        return new OpenBundle(
                wanted,
                job != null,
                wanted == null ? null : BundleWriter.create(wanted, mode, table, settings.format(), job));
    }

    /**
     * Completes the bundle of an import that is published, if its process did not live to do so.
     *
     * @return what went wrong about that, or null
     */
    static @Nullable String complete(ImportSettings settings, String table, String mode, BundleJob job) {
        BundleSettings wanted = settings.rejects();
        try {
            if (wanted != null && BundleWriter.isUnfinished(wanted, job)) {
                try (OpenBundle bundle = of(settings, table, mode, job)) {
                    bundle.ended(Manifest.State.IMPORTED);
                }
            }
            return null;
        } catch (SluiceException e) {
            return afterPublication(e);
        }
    }

    private static String afterPublication(SluiceException e) {
        return "the table is published, and its reject bundle does not say so: " + e.getMessage();
    }

    RejectSink sink() {
        return writer == null ? RejectSink.NONE : writer;
    }

    /** Makes sure that all rejects so far survive whatever happens to this process or machine. */
    void sync() {
        if (writer != null) {
            writer.sync();
        }
    }

    /** Writes all that must not fail behind the publication; no rejects come any more. */
    void prepare() {
        if (byDefault() && writer != null && writer.isEmpty()) {
            remove();
        }
        if (writer != null) {
            writer.prepare();
        }
    }

    /**
     * Says that the import is published.
     *
     * @return what went wrong about that, or null
     */
    @Nullable
    String published() {
        published = true;
        try {
            if (writer != null) {
                writer.published();
            }
            return null;
        } catch (OperationFailedException e) {
            return afterPublication(e);
        }
    }

    /** Says what became of the import. */
    void ended(Manifest.State state) {
        if (writer != null) {
            writer.ended(state);
        }
    }

    /** Removes it: the import begins anew. */
    void discard() {
        if (writer != null) {
            writer.discard();
            writer = null;
        }
    }

    /** Where the rejects are, and how many of which kind; of an import without rejects, nothing. */
    ImportReport.Rejected rejected() {
        if (settings == null || writer == null || writer.isEmpty()) {
            return ImportReport.Rejected.NONE;
        }
        return new ImportReport.Rejected(writer.reasons(), settings.directory().toString());
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
        // Nobody has asked for it, and no row is missing from a table that there is not.
        if (byDefault() && !published && !resumable) {
            remove();
        }
        if (writer != null) {
            writer.close();
        }
    }
}
