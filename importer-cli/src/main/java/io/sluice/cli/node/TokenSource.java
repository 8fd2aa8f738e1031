package io.sluice.cli.node;

import io.sluice.http.BearerToken;
import io.sluice.http.Tokens;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.Reasons;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Reads the token from a file or the environment. Never from the command line, which every process can read. */
public final class TokenSource {
    /** The environment variable that may hold it. */
    public static final String VARIABLE = "SLUICE_TOKEN";

    private static final int MAX_BYTES = 8 << 10;

    private TokenSource() {}

    /**
     * The tokens that a server accepts: one for everything, from the file if one is named; and those of a file with
     * names and roles.
     *
     * @param environment the value of {@link #VARIABLE}
     * @param named the file with names and roles, or null
     */
    public static @Nullable Tokens read(@Nullable Path file, @Nullable String environment, @Nullable Path named) {
        String text = text(file, environment);
        BearerToken token = text == null ? null : token(text, file);
        if (named != null) {
            return Tokens.read(named, token);
        }
        return token == null ? null : Tokens.of(token);
    }

    /**
     * The token as it is shown to nodes, from the file if one is named; null when there is none.
     *
     * @throws BadInputException if it is empty, or no server would accept it
     */
    public static @Nullable String text(@Nullable Path file, @Nullable String environment) {
        if (file == null && (environment == null || environment.isEmpty())) {
            return null;
        }
        String text = (file == null ? String.valueOf(environment) : content(file)).strip();
        var unused = token(text, file);
        return text;
    }

    private static BearerToken token(String text, @Nullable Path file) {
        try {
            return new BearerToken(text);
        } catch (BadInputException e) {
            throw new BadInputException((file == null ? VARIABLE : "--token-file " + file) + ": " + e.getMessage(), e);
        }
    }

    private static String content(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(MAX_BYTES + 1);
            if (bytes.length > MAX_BYTES) {
                throw new BadInputException("--token-file " + file + " is longer than a token may be");
            }
            return new String(bytes, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new BadInputException("--token-file: cannot read " + file + ": " + Reasons.ofFile(file, e), e);
        }
    }
}
