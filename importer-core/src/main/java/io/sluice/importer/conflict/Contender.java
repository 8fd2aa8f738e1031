package io.sluice.importer.conflict;

import java.util.List;

/**
 * A row of the input that holds a key of which it is known that others may hold it too.
 *
 * @param place where it stands
 * @param identity of its primary KV: equal for rows that are the same in all columns
 * @param claims the keys in question
 */
public record Contender(Place place, Fingerprint identity, List<FencingToken> claims) {
    public Contender {
        claims = List.copyOf(claims);
    }

    /**
     * A key that the row holds. The array is not copied: do not change it.
     *
     * @param index position of the index in its table
     * @param key the key
     * @param keyPrint its fingerprint; keys of different indexes differ
     * @param value fingerprint of the value there
     */
    @SuppressWarnings("ArrayRecordComponent")
    public record FencingToken(int index, byte[] key, Fingerprint keyPrint, Fingerprint value) {}
}
