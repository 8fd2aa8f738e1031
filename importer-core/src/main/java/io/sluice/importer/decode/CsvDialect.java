package io.sluice.importer.decode;

import io.sluice.importer.source.CsvFraming;
import io.sluice.importer.source.Framing;
import io.sluice.model.error.BadInputException;
import io.sluice.model.text.DatumParser;
import java.io.Serializable;
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
 * @param delimiter the text between two fields: one character or several
 * @param quote the quote around fields, or null without quoting
 * @param escape the character that makes the next one literal, or null
 * @param comment the character that starts a comment line, or null
 * @param values how values are written
 * @param traits further traits of the dialect
 * @param records the records to import
 */
public record CsvDialect(
        String delimiter,
        @Nullable Character quote,
        @Nullable Character escape,
        @Nullable Character comment,
        ValueFormat values,
        Set<Trait> traits,
        Records records)
        implements Serializable {
    private static final long serialVersionUID = 1L;

    /**
     * The records of each file to import.
     *
     * @param header whether the first record (after skipped ones) names the columns
     * @param skip number of records to skip at the start
     * @param limit most records to import; 0: all
     */
    public record Records(boolean header, long skip, long limit) implements Serializable {
        private static final long serialVersionUID = 1L;

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
        /**
         * A record with fewer fields than columns has NULL, or the column's DEFAULT, for the missing ones at its end.
         */
        SHORT_ROWS,
        /** The fields of a record beyond the columns are ignored. */
        LONG_ROWS,
        /** Blanks at both ends of every value are removed, even inside quotes. */
        TRIM,
        /** Escapes are those of PostgreSQL's COPY in text format; other escapes make the record a reject. */
        COPY_ESCAPES,
        /** Escapes are those of MySQL's LOAD DATA; other escapes make the record a reject. */
        MYSQL_ESCAPES,
        /** The escape has its meaning only inside quotes, before a quote and before itself. */
        QUOTED_ESCAPE,
        /** A line of a backslash and a point is no record, but the end mark of PostgreSQL's COPY. */
        END_MARK,
        /** The comment character is a guess: a comment line with the number of fields of a row is a reject. */
        GUESSED_COMMENT
    }

    private static final int MOST_DELIMITER_CHARS = 8;

    /** Comma, double quote doubled inside, no escape, no comments; an empty field without quotes is NULL. */
    public static final CsvDialect DEFAULT =
            new CsvDialect(",", '"', null, null, ValueFormat.DEFAULT, Set.of(), Records.ALL);

    public CsvDialect {
        // In the order of the enum, so that two processes describe a dialect equally.
        traits = Collections.unmodifiableSet(traits.isEmpty() ? EnumSet.noneOf(Trait.class) : EnumSet.copyOf(traits));
    }

    /** Returns a copy with one more trait. */
    public CsvDialect with(Trait trait) {
        Set<Trait> more = EnumSet.of(trait);
        more.addAll(traits);
        return new CsvDialect(delimiter, quote, escape, comment, values, more, records);
    }

    /** Returns a copy with another delimiter. */
    public CsvDialect withDelimiter(String other) {
        return new CsvDialect(other, quote, escape, comment, values, traits, records);
    }

    /** Returns a copy with another quote and escape; null: none. */
    public CsvDialect withQuotes(@Nullable Character otherQuote, @Nullable Character otherEscape) {
        return new CsvDialect(delimiter, otherQuote, otherEscape, comment, values, traits, records);
    }

    /** Returns a copy that skips lines which begin with a character. */
    public CsvDialect withComment(char other) {
        return new CsvDialect(delimiter, quote, escape, other, values, traits, records);
    }

    /** Returns a copy with values in another format. */
    public CsvDialect with(ValueFormat others) {
        return new CsvDialect(delimiter, quote, escape, comment, others, traits, records);
    }

    /** Returns a copy that imports other records. */
    public CsvDialect with(Records others) {
        return new CsvDialect(delimiter, quote, escape, comment, values, traits, others);
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
        put(roles, "--quote", quote);
        put(roles, "--escape", effectiveEscape());
        put(roles, "--comment", comment);
        validateDelimiter(roles, problems);
        Map<Character, String> taken = new HashMap<>();
        roles.forEach((option, character) -> {
            String other = taken.putIfAbsent(character, option);
            if (other != null) {
                problems.add(other + " and " + option + " are the same character");
            }
            if (character == '\n' || character == '\r') {
                problems.add(option + " must not be a line end");
            }
            if (character > 0x7f) {
                problems.add(option + " must be an ASCII character");
            }
        });
        values.validate(problems);
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

    private void validateDelimiter(Map<String, Character> roles, List<String> problems) {
        if (delimiter.isEmpty() || delimiter.length() > MOST_DELIMITER_CHARS) {
            problems.add("--delimiter must have 1 to " + MOST_DELIMITER_CHARS + " characters");
        }
        if (delimiter.contains("\n") || delimiter.contains("\r")) {
            problems.add("--delimiter must not contain a line end");
        }
        if (!DatumParser.isWhole(delimiter)) {
            problems.add("--delimiter has half a character: one surrogate without the other");
        }
        roles.forEach((option, character) -> {
            if (delimiter.equals(character.toString())) {
                problems.add("--delimiter and " + option + " are the same character");
            } else if (delimiter.indexOf(character) >= 0) {
                problems.add("--delimiter must not contain the character of " + option);
            }
        });
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
        return delimiter.length() == 1
                && delimiter.charAt(0) <= 0x7f
                && effectiveEscape() == null
                && comment == null
                && !has(Trait.END_MARK)
                && !has(Trait.SURROUNDING_SPACES)
                && !has(Trait.TRIM);
    }

    /** Whether commons-csv does not know the dialect's escapes. */
    boolean hasOwnEscapes() {
        return has(Trait.COPY_ESCAPES) || has(Trait.MYSQL_ESCAPES) || has(Trait.QUOTED_ESCAPE);
    }

    /** The dialect in words; what it does not use is left out. */
    public String words() {
        return "CSV, delimiter " + quoted(delimiter)
                + (quote == null ? ", no quote" : ", quote " + quoted(quote.toString()))
                + (effectiveEscape() == null
                        ? ""
                        : ", escape " + quoted(effectiveEscape().toString()))
                + (comment == null ? "" : ", comment " + quoted(comment.toString()))
                + values.words()
                + (has(Trait.SHORT_ROWS) ? ", short rows" : "")
                + (has(Trait.LONG_ROWS) ? ", long rows" : "")
                + (records.skip == 0 ? "" : ", skip " + records.skip)
                + (records.header ? ", header" : ", no header");
    }

    /** A text in single quotes, with control characters as escapes. */
    static String quoted(String text) {
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
                has(Trait.QUOTED_ESCAPE),
                has(Trait.SURROUNDING_SPACES),
                has(Trait.EMPTY_LINES),
                Integer.MAX_VALUE);
    }

    byte[] delimiterBytes() {
        return delimiter.getBytes(StandardCharsets.UTF_8);
    }

    /** The texts for NULL, as bytes; never empty. */
    byte[][] nullBytes() {
        List<String> texts = values.nullTexts().isEmpty() ? List.of("") : values.nullTexts();
        return texts.stream().map(text -> text.getBytes(StandardCharsets.UTF_8)).toArray(byte[][]::new);
    }

    private static int asInt(@Nullable Character character) {
        return character == null ? CsvFraming.NONE : character;
    }
}
