package io.sluice.api.node;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The destination of an import: a storage node, a cluster of them, or a directory for a staged set. Thread-safe. Every
 * method throws {@code OperationFailedException} when the destination fails.
 */
public interface ImportTarget extends AutoCloseable {
    /** The readable tables, ordered by name. */
    List<TableStatus> tables();

    /** The readable table of that name, or null. */
    @Nullable
    TableStatus table(String name);

    /**
     * Opens an import, or resumes one. Its rows stay invisible until {@link ImportSession#publish}.
     *
     * @throws io.sluice.model.error.BadInputException if a new table exists already, or its interleave parent does not
     *     exist
     */
    ImportSession beginImport(ImportRequest request);

    /** A node that does not answer a pending call, and for how long, or that puts it off, and why; null if none. */
    default @Nullable String unresponsiveNode() {
        return null;
    }

    @Override
    void close();
}
