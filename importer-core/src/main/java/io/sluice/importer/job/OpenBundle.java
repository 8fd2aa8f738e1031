package io.sluice.importer.job;

import io.sluice.importer.bundle.BundleJob;
import io.sluice.importer.bundle.BundleSettings;
import io.sluice.importer.bundle.BundleWriter;
import io.sluice.importer.bundle.Manifest;
import io.sluice.importer.decode.RejectSink;
import org.jspecify.annotations.Nullable;

/** The bundle of a running import, if it has one. Closing completes it. */
final class OpenBundle implements AutoCloseable {
    private @Nullable BundleWriter writer;

    private OpenBundle(@Nullable BundleWriter writer) {
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
        return new OpenBundle(wanted == null ? null : BundleWriter.create(wanted, mode, table, settings.format(), job));
    }

    /** Completes the bundle of an import that is published, if its process did not live to do so. */
    static void complete(ImportSettings settings, String table, String mode, BundleJob job) {
        BundleSettings wanted = settings.rejects();
        if (wanted != null && BundleWriter.isUnfinished(wanted, job)) {
            try (OpenBundle bundle = of(settings, table, mode, job)) {
                bundle.ended(Manifest.State.IMPORTED);
            }
        }
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

    /** Makes sure that all rejects are written. */
    void flush() {
        if (writer != null) {
            writer.flush();
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

    @Override
    public void close() {
        if (writer != null) {
            writer.close();
        }
    }
}
