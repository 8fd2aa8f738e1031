package io.sluice.importer.decode;

import io.sluice.importer.source.CsvFraming;
import io.sluice.importer.source.Framing;
import io.sluice.model.error.BadInputException;
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
 * The syntax of a CSV file, and the records of it to import.
 *
 * @param delimiter the character between two fields
 * @param quote the quote around fields, or null without quoting
 * @param escape the character that makes the next one literal, or null
 * @param comment the character that starts a comment line, or null
 * @param nullText the unquoted text for NULL; null: an empty field without quotes
 * @param traits further traits of the dialect
 * @param records the records to import
 */
public record CsvDialect(
        char delimiter,
        @Nullable Character quote,
        @Nullable Character escape,
        @Nullable Character comment,
        @Nullable String nullText,
        Set<Trait> traits,
        Records records) {
    /**
     * The records of each file to import.
     *
     * @param header whether the first record (after skipped ones) names the columns
     * @param skip number of records to skip at the start
     * @param limit most records to import; 0: all
     */
    public record Records(boolean header, long skip, long limit) {
        /** All records of files without a header. */
        public static final Records ALL = new Records(false, 0, 0);
    }

    /** An optional trait of a dialect. */
    public enum Trait {
        /** A quoted field with the NULL text is NULL, too. */
        QUOTED_NULL,
        /** A quote inside a field without quotes makes the record a reject; otherwise it is text. */
        STRICT_QUOTES,
        /** An empty line is a record of one empty field; otherwise it is skipped. */
        EMPTY_LINES,
        /** Blanks around fields are not part of them, outside of quotes. */
        SURROUNDING_SPACES,
        /** Blanks at both ends of every value are removed, even inside quotes. */
        TRIM
    }

    /** Comma, double quote doubled inside, no escape, no comments; an empty field without quotes is NULL. */
    public static final CsvDialect DEFAULT = new CsvDialect(',', '"', null, null, null, Set.of(), Records.ALL);

    public CsvDialect {
        // In the order of the enum, so that two processes describe a dialect equally.
        traits = Collections.unmodifiableSet(traits.isEmpty() ? EnumSet.noneOf(Trait.class) : EnumSet.copyOf(traits));
    }

    /** Returns a copy with one more trait. */
    public CsvDialect with(Trait trait) {
        Set<Trait> more = EnumSet.of(trait);
        more.addAll(traits);
        return new CsvDialect(delimiter, quote, escape, comment, nullText, more, records);
    }

    /** Returns a copy with another delimiter. */
    public CsvDialect withDelimiter(char other) {
        return new CsvDialect(other, quote, escape, comment, nullText, traits, records);
    }

    /** Returns a copy with another text for NULL. */
    public CsvDialect withNullText(String other) {
        return new CsvDialect(delimiter, quote, escape, comment, other, traits, records);
    }

    /** Returns a copy that imports other records. */
    public CsvDialect with(Records others) {
        return new CsvDialect(delimiter, quote, escape, comment, nullText, traits, others);
    }

    /** Whether the dialect has a trait. */
    public boolean has(Trait trait) {
        return traits.contains(trait);
    }

    /**
     * Checks that no two roles have the same character.
     *
     * @throws BadInputException naming all problems
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
        if (records.skip < 0) {
            problems.add("--skip must not be negative");
        }
        if (records.limit < 0) {
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

    /** The escape; null if it is the quote, since a doubled quote needs no escape. */
    public @Nullable Character effectiveEscape() {
        return escape == null || escape.equals(quote) ? null : escape;
    }

    /**
     * Whether the dialect has only a one-byte delimiter, a quote and line ends, so that the fast decoder can read it.
     */
    public boolean isPlain() {
        return delimiter <= 0x7f
                && effectiveEscape() == null
                && comment == null
                && !has(Trait.SURROUNDING_SPACES)
                && !has(Trait.TRIM);
    }

    /** The dialect in words; what it does not use is left out. */
    public String words() {
        return "CSV, delimiter " + quoted(String.valueOf(delimiter))
                + (quote == null ? ", no quote" : ", quote " + quoted(quote.toString()))
                + (effectiveEscape() == null
                        ? ""
                        : ", escape " + quoted(effectiveEscape().toString()))
                + (comment == null ? "" : ", comment " + quoted(comment.toString()))
                + (nullText == null ? "" : ", NULL as " + quoted(nullText))
                + (records.header ? ", header" : ", no header");
    }

    /** A text in single quotes, with control characters as escapes. */
    private static String quoted(String text) {
        StringBuilder out = new StringBuilder("'");
        text.chars()
                .forEach(c -> out.append(
                        c == '\t'
                                ? "\\t"
                                : Character.isISOControl(c) ? String.format("\\u%04x", c) : String.valueOf((char) c)));
        return out.append('\'').toString();
    }

    /** The framing of this dialect's records. */
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

    /** The text for NULL, as bytes. */
    byte[] nullBytes() {
        return nullText == null ? new byte[0] : nullText.getBytes(StandardCharsets.UTF_8);
    }

    private static int asInt(@Nullable Character character) {
        return character == null ? CsvFraming.NONE : character;
    }
}
