package io.sluice.http;

import io.sluice.model.error.BadInputException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The secret that clients send with every request. Stores only its hash and never prints it. */
public final class BearerToken {
    /** Minimum length, against guessing: 16 characters of 6 bits are 96 bits. */
    public static final int MIN_LENGTH = 16;

    private static final int MAX_LENGTH = 4096;
    private static final String SCHEME = "Bearer ";

    private final byte[] hash;

    /**
     * Creates a token.
     *
     * @throws BadInputException if it is too short or too long, or has a character that a header cannot carry
     */
    public BearerToken(String secret) {
        if (secret.length() < MIN_LENGTH || secret.length() > MAX_LENGTH) {
            throw new BadInputException("the token has " + secret.length() + " characters; give one of " + MIN_LENGTH
                    + " to " + MAX_LENGTH + ", for example from: openssl rand -hex 32");
        }
        if (!secret.chars().allMatch(c -> c > ' ' && c < 0x7f)) {
            throw new BadInputException("the token holds a blank or a character that is not ASCII; give another one");
        }
        hash = hash(secret);
    }

    /** Whether an {@code Authorization} header carries this token. Compares the hashes in constant time. */
    boolean shownIn(@Nullable String authorization) {
        if (authorization == null || !authorization.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
            return false;
        }
        return MessageDigest.isEqual(
                hash, hash(authorization.substring(SCHEME.length()).strip()));
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof BearerToken token && MessageDigest.isEqual(hash, token.hash);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(hash);
    }

    private static byte[] hash(String secret) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(secret.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    @Override
    public String toString() {
        return "(token)";
    }
}
