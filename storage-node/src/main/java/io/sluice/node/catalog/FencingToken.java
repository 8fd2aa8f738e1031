package io.sluice.node.catalog;

import java.util.UUID;

/**
 * Who may go on with an import.
 *
 * @param importId names the import, in the words of whoever began it
 * @param attempt how often it was begun: sessions of earlier attempts are turned away
 * @param touchedAtMillis when somebody last did something about it, to the precision of a part of the lease;
 *     milliseconds since 1970-01-01 UTC
 */
public record FencingToken(UUID importId, long attempt, long touchedAtMillis) {
    FencingToken renewed(long nowMillis) {
        return new FencingToken(importId, attempt + 1, nowMillis);
    }

    FencingToken touched(long nowMillis) {
        return new FencingToken(importId, attempt, nowMillis);
    }

    /** Whether nobody has come for longer than a lease. */
    public boolean expired(long nowMillis, long leaseMillis) {
        return nowMillis - touchedAtMillis > leaseMillis;
    }
}
