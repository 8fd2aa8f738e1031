package io.sluice.cli.node;

import io.sluice.http.BearerToken;
import io.sluice.model.error.BadInputException;
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
     * The token, from the file if one is named.
     *
     * @param environment the value of {@link #VARIABLE}
     */
    public static @Nullable BearerToken read(@Nullable Path file, @Nullable String environment) {
        String text = text(file, environment);
        return text == null ? null : new BearerToken(text);
    }

    /** The token as it is shown to nodes, from the file if one is named; null when there is none. */
    public static @Nullable String text(@Nullable Path file, @Nullable String environment) {
        if (file != null) {
            return content(file).strip();
        }
        return environment == null || environment.isEmpty() ? null : environment.strip();
    }

    private static String content(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(MAX_BYTES + 1);
            if (bytes.length > MAX_BYTES) {
                throw new BadInputException("--token-file " + file + " is longer than a token may be");
            }
            return new String(bytes, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new BadInputException("--token-file: cannot read " + file + ": " + e.getMessage(), e);
        }
    }
}
