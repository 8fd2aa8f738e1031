package io.sluice.api.wire;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Names SSTs of an import: the body of {@code POST /v1/ingest}.
 *
 * @param importId the import
 * @param ssts their ids
 */
public record IngestBody(@Nullable UUID importId, @Nullable List<UUID> ssts) {
    /** Most SSTs in one request: 1,024 ids of 39 bytes are 40 KB of JSON. */
    public static final int MAX_SSTS = 1024;
}
