package io.sluice.node.catalog;

import java.util.UUID;

/**
 * The fencing token of a resumable import: only the latest attempt may continue it.
 *
 * @param importId the client's id of the import
 * @param attempt number of the latest attempt, from 1; the node rejects sessions of earlier attempts
 * @param touchedAtMillis time of the last call for the import, to the precision of a fraction of the lease;
 *     milliseconds since 1970-01-01 UTC
 */
public record FencingToken(UUID importId, long attempt, long touchedAtMillis) {
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
