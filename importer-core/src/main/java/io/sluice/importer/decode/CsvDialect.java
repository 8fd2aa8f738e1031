package io.sluice.importer.decode;

import io.sluice.api.error.BadInputException;
import io.sluice.importer.source.CsvFraming;
import io.sluice.importer.source.Framing;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How a CSV file is written.
 *
 * @param delimiter between two fields
 * @param quote around fields that need it, or null when there is no quoting
 * @param escape makes the next character literal, or null
 * @param comment makes a line a comment when it comes first, or null
 * @param nullText the unquoted text that means NULL; null: an empty field without quotes
 * @param header whether the first record (behind skipped ones) names the columns
 * @param skip how many records at the beginning of each file to pass over
 */
public record CsvDialect(
        char delimiter,
        @Nullable Character quote,
        @Nullable Character escape,
        @Nullable Character comment,
        @Nullable String nullText,
        boolean header,
        long skip) {
    /** Comma, double quote doubled inside, no escape, no comments; an empty field without quotes is NULL. */
    public static final CsvDialect DEFAULT = new CsvDialect(',', '"', null, null, null, false, 0);

    /**
     * Checks that no two roles fall to the same character.
     *
     * @throws BadInputException naming all that is wrong
     */
    public void validate() {
        List<String> problems = new ArrayList<>();
        if (delimiter == '\n' || delimiter == '\r') {
            problems.add("--delimiter must not be a line end");
        }
        Map<String, Character> roles = new LinkedHashMap<>();
        roles.put("--delimiter", delimiter);
        put(roles, "--quote", quote);
        put(roles, "--escape", effectiveEscape());
        put(roles, "--comment", comment);
        Map<Character, String> taken = new HashMap<>();
        roles.forEach((option, character) -> {
            String other = taken.putIfAbsent(character, option);
            if (other != null) {
                problems.add(other + " and " + option + " are the same character");
            }
            if (character > 0x7f && !option.equals("--delimiter")) {
                problems.add(option + " must be an ASCII character");
            }
        });
        if (skip < 0) {
            problems.add("--skip must not be negative");
        }
        if (!problems.isEmpty()) {
            throw new BadInputException(String.join("\n", problems));
        }
    }

    private static void put(Map<String, Character> roles, String option, @Nullable Character character) {
        if (character != null) {
            roles.put(option, character);
        }
    }

    /** The escape, unless it is the quote itself, which is doubled anyway. */
    public @Nullable Character effectiveEscape() {
        return escape == null || escape.equals(quote) ? null : escape;
    }

    /** Whether the dialect has nothing but a one-byte delimiter, a quote and line ends. */
    public boolean isPlain() {
        return delimiter <= 0x7f && effectiveEscape() == null && comment == null;
    }

    /** Where records of this dialect end. */
    public Framing framing() {
        return new CsvFraming(
                String.valueOf(delimiter).getBytes(StandardCharsets.UTF_8),
                asInt(quote),
                asInt(effectiveEscape()),
                asInt(comment));
    }

    private static int asInt(@Nullable Character character) {
        return character == null ? CsvFraming.NONE : character;
    }
}
