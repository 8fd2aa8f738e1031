package io.sluice.importer.conflict;

import java.io.Serializable;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * The first 128 bits of a SHA-256, compared in place of the hashed bytes. Even crafted inputs cannot collide, so
 * different rows are never taken for the same.
 */
public record Fingerprint(long high, long low) implements Serializable {
    private static final long serialVersionUID = 1L;

    /** The fingerprint of a range of bytes. */
    public static Fingerprint of(byte[] buffer, int offset, int length) {
        MessageDigest sha = sha256();
        sha.update(buffer, offset, length);
        ByteBuffer hash = ByteBuffer.wrap(sha.digest());
        return new Fingerprint(hash.getLong(), hash.getLong());
    }

    public static Fingerprint of(byte[] bytes) {
        return of(bytes, 0, bytes.length);
    }

    /** The fingerprint of a key followed by its value. */
    public static Fingerprint of(byte[] key, byte[] value) {
        ByteBuffer both =
                ByteBuffer.allocate(key.length + value.length).put(key).put(value);
        return of(both.array());
    }

    /** A new SHA-256. */
    public static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
