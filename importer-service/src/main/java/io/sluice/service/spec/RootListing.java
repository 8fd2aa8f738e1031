package io.sluice.service.spec;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The content of a directory that a service may read, or the roots themselves.
 *
 * @param path the directory; null for the list of roots
 * @param parent the directory above, if that may be read, too; else null
 * @param entries directories first, each kind by name
 * @param more whether the directory has more entries than are listed
 */
public record RootListing(@Nullable String path, @Nullable String parent, List<Entry> entries, boolean more) {
    public RootListing {
        entries = List.copyOf(entries);
    }

    /**
     * An entry.
     *
     * @param path what an import names as its input
     * @param kind directory, file, or address; addresses cannot be listed
     * @param bytes size of a file; 0 for others
     * @param modifiedAt time of the last change; null for addresses
     */
    public record Entry(
            String name,
            String path,
            String kind,
            long bytes,
            @Nullable Instant modifiedAt) {}
}
