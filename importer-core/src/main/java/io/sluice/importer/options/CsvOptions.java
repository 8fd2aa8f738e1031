package io.sluice.importer.options;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.importer.decode.CsvDialect;
import io.sluice.importer.decode.CsvDialect.Trait;
import io.sluice.importer.decode.NamedDialect;
import io.sluice.importer.decode.ValueFormat;
import io.sluice.importer.decode.infer.CsvSniffer.Part;
import io.sluice.importer.decode.infer.Inference;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.source.InputFile;
import io.sluice.model.error.BadInputException;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/**
 * Options of the CSV format; shared by {@code import} and {@code encode}. A named dialect sets them all, and single
 * options override it. Options that CockroachDB's IMPORT also has accept its names too.
 */
public final class CsvOptions {
    private static final String REJECT = "reject";

    @Option(
            names = "--columns",
            paramLabel = "A,B,C",
            split = ",",
            description = "Columns in the order of the fields; @NAME skips a field. Default: the header, or else the"
                    + " table's columns.")
    @Nullable
    List<String> columns;

    @Option(
            names = "--dialect",
            paramLabel = "D",
            defaultValue = "default",
            description = "default, rfc4180, excel, tdf, mysql, postgresql-csv, postgresql-text, informix,"
                    + " informix-csv, mongodb-csv, mongodb-tsv or oracle; see docs/reference/csv.md.")
    String dialect = "default";

    @Option(
            names = {"--delimiter", "--fields-terminated-by"},
            paramLabel = "C",
            converter = DelimiterConverter.class,
            description = "Separator of fields, one character or several; \\t is a tab, \\x01 the character 1."
                    + " Default: a comma.")
    @Nullable
    String delimiter;

    @Option(
            names = {"--quote", "--enclosed-by", "--fields-enclosed-by"},
            paramLabel = "C",
            arity = "1",
            description = "Quote around fields, doubled inside; an empty argument disables quoting. Default: \".")
    @Nullable
    String quote;

    @Option(
            names = {"--escape", "--escaped-by", "--fields-escaped-by"},
            paramLabel = "C",
            arity = "1",
            description = "Escape: makes the next character literal; an empty argument disables it. Default: none.")
    @Nullable
    String escape;

    @Option(
            names = "--comment",
            paramLabel = "C",
            converter = CharacterConverter.class,
            description = "Character that begins a comment line, which is skipped. Default: none.")
    @Nullable
    Character comment;

    @Option(
            names = "--skip",
            paramLabel = "N",
            description = "Number of records to skip at the beginning of each file. Default: 0.")
    long skip;

    @Option(
            names = "--row-limit",
            paramLabel = "N",
            description =
                    "Number of records to read from each file, after skipped ones and the header. Default: 0, all.")
    long rowLimit;

    @Option(
            names = "--nullif",
            paramLabel = "S",
            arity = "1",
            description = "Unquoted text that means NULL; repeatable. Default: an empty field.")
    List<String> nullIf = List.of();

    @Option(names = "--allow-quoted-null", description = "The text that means NULL also means NULL inside quotes.")
    boolean quotedNull;

    @Option(names = "--strict-quotes", description = "Reject records with a quote inside an unquoted field.")
    boolean strictQuotes;

    @Option(
            names = "--short-rows",
            paramLabel = "W",
            defaultValue = REJECT,
            description =
                    "Records with fewer fields than columns: reject (default), or null: the missing ones at the end"
                            + " have the column's DEFAULT, or NULL.")
    String shortRows = REJECT;

    @Option(
            names = "--long-rows",
            paramLabel = "W",
            defaultValue = REJECT,
            description = "Records with more fields than columns: reject (default), or ignore the fields beyond.")
    String longRows = REJECT;

    @Option(
            names = "--decimal",
            paramLabel = "C",
            description = "Character before the fraction of a number. Default: a point.")
    @Nullable
    Character decimal;

    @Option(
            names = "--thousands",
            paramLabel = "C",
            description = "Character between groups of three digits. Default: none.")
    @Nullable
    Character thousands;

    @Option(
            names = "--date-format",
            paramLabel = "[COLUMN=]P",
            description = "Pattern of DATE columns, such as dd.MM.yyyy; see docs/reference/csv.md. Repeatable.")
    List<String> dates = List.of();

    @Option(
            names = "--time-format",
            paramLabel = "[COLUMN=]P",
            description = "Pattern of TIME columns, such as 'hh:mm a'. Repeatable.")
    List<String> times = List.of();

    @Option(
            names = "--timestamp-format",
            paramLabel = "[COLUMN=]P",
            description = "Pattern of TIMESTAMP and TIMESTAMPTZ columns, such as 'MM/dd/yyyy HH:mm[:ss]'. Repeatable.")
    List<String> timestamps = List.of();

    @Option(
            names = "--header",
            negatable = true,
            description = "The first record of each file names its columns. Default: no; without --schema as it looks.")
    @Nullable
    Boolean header;

    /**
     * Builds the CSV format from the options.
     *
     * @throws BadInputException if they contradict each other
     */
    public InputFormat.Csv format() {
        return new InputFormat.Csv(dialect(), columns);
    }

    /** The first option that was given, or null. */
    @Nullable
    String firstGiven() {
        Map<String, Boolean> given = new LinkedHashMap<>();
        given.put("--columns", columns != null);
        given.put("--dialect", !dialect.equals("default"));
        given.put("--delimiter", delimiter != null);
        given.put("--quote", quote != null);
        given.put("--escape", escape != null);
        given.put("--comment", comment != null);
        given.put("--skip", skip != 0);
        given.put("--row-limit", rowLimit != 0);
        given.put("--nullif", !nullIf.isEmpty());
        given.put("--allow-quoted-null", quotedNull);
        given.put("--strict-quotes", strictQuotes);
        given.put("--short-rows", !shortRows.equals(REJECT));
        given.put("--long-rows", !longRows.equals(REJECT));
        given.put("--decimal", decimal != null);
        given.put("--thousands", thousands != null);
        given.put("--date-format", !dates.isEmpty());
        given.put("--time-format", !times.isEmpty());
        given.put("--timestamp-format", !timestamps.isEmpty());
        given.put("--header", header != null);
        return given.entrySet().stream()
                .filter(Map.Entry::getValue)
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse(null);
    }

    /**
     * Builds the CSV format, with the delimiter, quote, NULL, form of numbers and header that a file has where no
     * option says.
     *
     * @param maxRecordBytes longest record
     * @throws BadInputException if the file is no text of rows, or other lines stand before these
     */
    InputFormat.Csv sniffed(InputFile file, int maxRecordBytes) {
        boolean named = !dialect.equals(NamedDialect.DEFAULT.label());
        Set<Part> parts = EnumSet.noneOf(Part.class);
        addIf(!named && delimiter == null, Part.DELIMITER, parts);
        addIf(!named && quote == null && escape == null && comment == null, Part.QUOTE, parts);
        addIf(!named && nullIf.isEmpty(), Part.NULL, parts);
        addIf(decimal == null && thousands == null, Part.NUMBERS, parts);
        addIf(header == null && columns == null, Part.HEADER, parts);
        return Inference.csv(file, format(), parts, maxRecordBytes);
    }

    private static void addIf(boolean wanted, Part part, Set<Part> parts) {
        if (wanted) {
            parts.add(part);
        }
    }

    private boolean hasHeader() {
        return header != null && header;
    }

    private CsvDialect dialect() {
        CsvDialect base = NamedDialect.of(dialect).dialect();
        CsvDialect made = new CsvDialect(
                delimiter == null ? base.delimiter() : delimiter,
                quote == null ? base.quote() : orNone("--quote", quote),
                escape == null ? base.escape() : orNone("--escape", escape),
                comment == null ? base.comment() : comment,
                values(base.values()),
                base.traits(),
                new CsvDialect.Records(hasHeader(), skip, rowLimit));
        made = quotedNull ? made.with(Trait.QUOTED_NULL) : made;
        made = strictQuotes ? made.with(Trait.STRICT_QUOTES) : made;
        made = isOther("--short-rows", shortRows, "null") ? made.with(Trait.SHORT_ROWS) : made;
        made = isOther("--long-rows", longRows, "ignore") ? made.with(Trait.LONG_ROWS) : made;
        made.validate();
        return made;
    }

    private ValueFormat values(ValueFormat base) {
        return base.withNull(nullIf.isEmpty() ? base.nullTexts() : nullIf)
                .withNumbers(decimal == null ? base.decimal() : decimal, thousands)
                .withPatterns(dates, times, timestamps);
    }

    private static boolean isOther(String option, String word, String other) {
        if (!word.equals(other) && !word.equals(REJECT)) {
            throw new BadInputException(option + " " + word + ": must be " + REJECT + " or " + other);
        }
        return word.equals(other);
    }

    private static @Nullable Character orNone(String option, String value) {
        if (value.length() > 1) {
            throw new BadInputException(option + " '" + value + "' is not one character");
        }
        return value.isEmpty() ? null : value.charAt(0);
    }

    /** Parses a delimiter; a single character may have a name, or a code such as {@code \\x01}. */
    static final class DelimiterConverter implements ITypeConverter<String> {
        private static final Pattern CODE = Pattern.compile("\\\\(?:x|u00)([0-7]\\p{XDigit})");

        @Override
        public String convert(String value) {
            Matcher code = CODE.matcher(value);
            if (code.matches()) {
                return String.valueOf((char) Integer.parseInt(code.group(1), 16));
            }
            return switch (value) {
                case "\\t", "tab" -> "\t";
                case "\\0" -> "\0";
                default -> value;
            };
        }
    }

    /** Parses one character, or a name for it: {@code \t}, {@code tab}, {@code \0}. */
    static final class CharacterConverter implements ITypeConverter<Character> {
        @Override
        public Character convert(String value) {
            return switch (value) {
                case "\\t", "tab" -> '\t';
                case "\\0" -> '\0';
                default -> {
                    if (value.length() != 1) {
                        throw new TypeConversionException("'" + value + "' is not one character");
                    }
                    yield value.charAt(0);
                }
            };
        }
    }

    /**
     * Adds the given options as members of an import service's {@code ImportSpec}; the service has the same defaults.
     */
    void put(ObjectNode members) {
        members.put("dialect", dialect);
        if (delimiter != null) {
            members.put("delimiter", delimiter);
        }
        if (quote != null) {
            members.put("quote", quote);
        }
        if (escape != null) {
            members.put("escape", escape);
        }
        if (comment != null) {
            members.put("comment", comment.toString());
        }
        if (decimal != null) {
            members.put("decimal", decimal.toString());
        }
        if (thousands != null) {
            members.put("thousands", thousands.toString());
        }
        putAll(members, "nullif", nullIf);
        putAll(members, "dateFormat", dates);
        putAll(members, "timeFormat", times);
        putAll(members, "timestampFormat", timestamps);
        if (columns != null) {
            columns.forEach(members.putArray("columns")::add);
        }
        members.put("header", hasHeader());
        members.put("skip", skip);
        members.put("rowLimit", rowLimit);
        members.put("allowQuotedNull", quotedNull);
        members.put("strictQuotes", strictQuotes);
        members.put("shortRows", shortRows);
        members.put("longRows", longRows);
    }

    private static void putAll(ObjectNode members, String name, List<String> texts) {
        if (!texts.isEmpty()) {
            texts.forEach(members.putArray(name)::add);
        }
    }
}
