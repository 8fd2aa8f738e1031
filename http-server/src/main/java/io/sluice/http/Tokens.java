package io.sluice.http;

import io.sluice.model.error.BadInputException;
import io.sluice.model.error.Reasons;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The tokens that a server accepts, each with its name and role. */
public final class Tokens {
    /** Name of the token that is given without a name. */
    static final String OPERATOR = "operator";

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");
    private static final long MOST_BYTES = 1L << 20;

    private final List<Entry> entries = new ArrayList<>();

    private record Entry(Caller caller, BearerToken token) {}

    /** Accepts one token for everything. */
    public static Tokens of(BearerToken token) {
        Tokens tokens = new Tokens();
        tokens.entries.add(new Entry(new Caller(OPERATOR, Role.OPERATE), token));
        return tokens;
    }

    /**
     * Reads a file of tokens: a name, a role and a token on each line, with blanks between; lines that begin with
     * {@code #} are comments.
     *
     * @param operator one more token, for everything; or null
     * @throws BadInputException if the file cannot be read, naming all its lines that are wrong, never with a token
     */
    public static Tokens read(Path file, @Nullable BearerToken operator) {
        Tokens tokens = operator == null ? new Tokens() : of(operator);
        List<String> problems = new ArrayList<>();
        List<String> lines = lines(file);
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            if (!line.isEmpty() && !line.startsWith("#")) {
                try {
                    tokens.add(line);
                } catch (BadInputException e) {
                    problems.add(file + ":" + (i + 1) + ": " + e.getMessage());
                }
            }
        }
        if (tokens.entries.isEmpty() && problems.isEmpty()) {
            problems.add(file + ": has no tokens; give lines of the form NAME ROLE TOKEN");
        }
        if (!problems.isEmpty()) {
            throw new BadInputException(String.join("\n", problems));
        }
        return tokens;
    }

    private static List<String> lines(Path file) {
        try {
            if (Files.size(file) > MOST_BYTES) {
                throw new BadInputException(file + ": is longer than a file of tokens may be, 1 MiB");
            }
            return Files.readAllLines(file);
        } catch (IOException e) {
            throw new BadInputException("cannot read the tokens in " + file + ": " + Reasons.ofFile(file, e), e);
        }
    }

    private void add(String line) {
        String[] parts = line.split("[ \t]+", -1);
        if (parts.length != 3) {
            throw new BadInputException("has " + parts.length + " words; give NAME ROLE TOKEN");
        }
        String name = parts[0];
        if (!NAME.matcher(name).matches()) {
            throw new BadInputException("the name must be 1 to 64 letters, digits, dots, underscores and hyphens");
        }
        BearerToken token = new BearerToken(parts[2]);
        for (Entry other : entries) {
            if (other.caller.name().equals(name) || other.token.equals(token)) {
                throw new BadInputException(
                        "name or token is that of " + other.caller.name() + " already; give each its own");
            }
        }
        entries.add(new Entry(new Caller(name, role(parts[1])), token));
    }

    private static Role role(String text) {
        for (Role role : Role.values()) {
            if (role.label().equals(text.toLowerCase(Locale.ROOT))) {
                return role;
            }
        }
        throw new BadInputException("the role is none of read, submit and operate");
    }

    /** The holder of the token in an {@code Authorization} header; null if it is none of these. */
    @Nullable
    Caller shownIn(@Nullable String authorization) {
        Caller found = null;
        for (Entry entry : entries) {
            // All are compared, so that the time does not tell which one is near.
            found = entry.token.shownIn(authorization) ? entry.caller : found;
        }
        return found;
    }

    @Override
    public String toString() {
        return entries.size() + " tokens";
    }
}
