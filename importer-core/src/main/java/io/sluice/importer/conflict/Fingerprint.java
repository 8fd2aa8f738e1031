package io.sluice.importer.conflict;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * 128 bits of the SHA-256 of some bytes, in place of the bytes: nobody can make two that are equal, so rows are never
 * taken for one another.
 */
public record Fingerprint(long high, long low) {
    /** Of a range. */
    public static Fingerprint of(byte[] buffer, int offset, int length) {
        MessageDigest sha = sha256();
        sha.update(buffer, offset, length);
        ByteBuffer hash = ByteBuffer.wrap(sha.digest());
        return new Fingerprint(hash.getLong(), hash.getLong());
    }

    /** Of a key and its value. */
    public static Fingerprint of(byte[] key, byte[] value) {
        ByteBuffer both =
                ByteBuffer.allocate(key.length + value.length).put(key).put(value);
        return of(both.array(), 0, both.capacity());
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
