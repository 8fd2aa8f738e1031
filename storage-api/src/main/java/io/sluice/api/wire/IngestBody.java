package io.sluice.api.wire;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The body of {@code POST /v1/ingest}: a list of SSTs of an import.
 *
 * @param importId id of the import
 * @param ssts ids of the SSTs
 */
public record IngestBody(@Nullable UUID importId, @Nullable List<UUID> ssts) {
    /** Maximum number of SSTs in one request: 1,024 ids of 39 bytes are 40 kB of JSON. */
    public static final int MAX_SSTS = 1024;
}
