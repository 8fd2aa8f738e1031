package io.sluice.engine.admit;

import io.sluice.engine.store.KeyBounds;

/**
 * A request to admit an SST.
 *
 * @param table the table it belongs to
 * @param visible whether readers see that table: then stacks must stay low
 * @param bounds its first and last key
 * @param entries KVs in it
 * @param fileBytes its length
 */
public record AdmissionRequest(String table, boolean visible, KeyBounds bounds, long entries, long fileBytes) {}
