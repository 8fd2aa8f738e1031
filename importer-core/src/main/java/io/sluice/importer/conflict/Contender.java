package io.sluice.importer.conflict;

import java.io.Serializable;
import java.util.List;

/**
 * A row of the input with a key that other rows may have, too.
 *
 * @param place position in the input
 * @param identity fingerprint of the primary KV; equal for rows that are equal in all columns
 * @param keys the keys that other rows may have
 */
public record Contender(Place place, Fingerprint identity, List<HeldKey> keys) implements Serializable {
    private static final long serialVersionUID = 1L;

    public Contender {
        keys = List.copyOf(keys);
    }

    /**
     * A key of a row in the primary or a unique index. The array is not copied: do not change it.
     *
     * @param index position of the index in its table
     * @param key the key
     * @param keyPrint fingerprint of the key; keys of different indexes differ
     * @param value fingerprint of the key's value
     */
    @SuppressWarnings("ArrayRecordComponent")
    public record HeldKey(int index, byte[] key, Fingerprint keyPrint, Fingerprint value) implements Serializable {
        private static final long serialVersionUID = 1L;
    }
}
