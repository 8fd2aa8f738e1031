package io.sluice.node.catalog;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The fencing token of a resumable import: only the latest attempt may continue it.
 *
 * @param importId the client's id of the import
 * @param attempt number of the latest attempt, from 1; the node rejects sessions of earlier attempts
 * @param touchedAtMillis time of the last call for the import, to the precision of a fraction of the lease;
 *     milliseconds since 1970-01-01 UTC
 */
public record FencingToken(UUID importId, long attempt, long touchedAtMillis) {
    /** The token of a new import; null without an id, because no later attempt can name it. */
    static @Nullable FencingToken first(@Nullable UUID importId, long nowMillis) {
        return importId == null ? null : new FencingToken(importId, 1, nowMillis);
    }

    FencingToken renewed(long nowMillis) {
        return new FencingToken(importId, attempt + 1, nowMillis);
    }

    FencingToken touched(long nowMillis) {
        return new FencingToken(importId, attempt, nowMillis);
    }

    /** Whether no client has called for longer than a lease. */
    public boolean expired(long nowMillis, long leaseMillis) {
        return nowMillis - touchedAtMillis > leaseMillis;
    }
}
