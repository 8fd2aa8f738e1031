package io.sluice.importer.decode;

import io.sluice.api.error.BadInputException;
import io.sluice.importer.source.CsvFraming;
import io.sluice.importer.source.Framing;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How a CSV file is written, and how much of it is meant.
 *
 * @param delimiter between two fields
 * @param quote around fields that need it, or null when there is no quoting
 * @param escape makes the next character literal, or null
 * @param comment makes a line a comment when it comes first, or null
 * @param nullText the unquoted text that means NULL; null: an empty field without quotes
 * @param header whether the first record (behind skipped ones) names the columns
 * @param skip how many records at the beginning of each file to pass over
 * @param traits what else is particular about it
 * @param rowLimit how many records of each file to take; 0: all
 */
public record CsvDialect(
        char delimiter,
        @Nullable Character quote,
        @Nullable Character escape,
        @Nullable Character comment,
        @Nullable String nullText,
        boolean header,
        long skip,
        Set<Trait> traits,
        long rowLimit) {
    /** What a dialect can have or not. */
    public enum Trait {
        /** A quoted field with the NULL text is NULL, too. */
        QUOTED_NULL,
        /** A quote inside a field without quotes makes the record a reject, where it otherwise stands for itself. */
        STRICT_QUOTES,
        /** An empty line is a record of one empty field; otherwise it is none. */
        EMPTY_LINES,
        /** Blanks around fields are not part of them, outside of quotes. */
        SURROUNDING_SPACES,
        /** Blanks at both ends of every value are taken off, inside quotes, too. */
        TRIM
    }

    /** Comma, double quote doubled inside, no escape, no comments; an empty field without quotes is NULL. */
    public static final CsvDialect DEFAULT = new CsvDialect(',', '"', null, null, null, false, 0);

    public CsvDialect {
        // In the order of the enum, so that two processes describe a dialect in the same words.
        traits = Collections.unmodifiableSet(traits.isEmpty() ? EnumSet.noneOf(Trait.class) : EnumSet.copyOf(traits));
    }

    /** A dialect without particular traits, all records of it. */
    public CsvDialect(
            char delimiter,
            @Nullable Character quote,
            @Nullable Character escape,
            @Nullable Character comment,
            @Nullable String nullText,
            boolean header,
            long skip) {
        this(delimiter, quote, escape, comment, nullText, header, skip, Set.of(), 0);
    }

    /** The same dialect with one trait more. */
    public CsvDialect with(Trait trait) {
        Set<Trait> more = EnumSet.of(trait);
        more.addAll(traits);
        return new CsvDialect(delimiter, quote, escape, comment, nullText, header, skip, more, rowLimit);
    }

    /** The same dialect with other records to pass over and to take. */
    public CsvDialect reading(boolean newHeader, long newSkip, long newRowLimit) {
        return new CsvDialect(delimiter, quote, escape, comment, nullText, newHeader, newSkip, traits, newRowLimit);
    }

    /** Whether the dialect has a trait. */
    public boolean has(Trait trait) {
        return traits.contains(trait);
    }

    /**
     * Checks that no two roles fall to the same character.
     *
     * @throws BadInputException naming all that is wrong
     */
    public void validate() {
        List<String> problems = new ArrayList<>();
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
            if (character == '\n' || character == '\r') {
                problems.add(option + " must not be a line end");
            }
            if (Character.isSurrogate(character) || (character > 0x7f && !option.equals("--delimiter"))) {
                problems.add(option + " must be an ASCII character");
            }
        });
        if (skip < 0) {
            problems.add("--skip must not be negative");
        }
        if (rowLimit < 0) {
            problems.add("--row-limit must not be negative; 0 takes all rows");
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
        return delimiter <= 0x7f
                && effectiveEscape() == null
                && comment == null
                && !has(Trait.SURROUNDING_SPACES)
                && !has(Trait.TRIM);
    }

    /** Where records of this dialect end. */
    public Framing framing() {
        return new CsvFraming(
                delimiterBytes(),
                asInt(quote),
                asInt(effectiveEscape()),
                asInt(comment),
                has(Trait.SURROUNDING_SPACES),
                has(Trait.EMPTY_LINES),
                Integer.MAX_VALUE);
    }

    byte[] delimiterBytes() {
        return String.valueOf(delimiter).getBytes(StandardCharsets.UTF_8);
    }

    /** The text that means NULL, as bytes. */
    byte[] nullBytes() {
        return nullText == null ? new byte[0] : nullText.getBytes(StandardCharsets.UTF_8);
    }

    private static int asInt(@Nullable Character character) {
        return character == null ? CsvFraming.NONE : character;
    }
}
