package io.sluice.cli.input;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.importer.decode.CsvDialect;
import io.sluice.importer.decode.CsvDialect.Trait;
import io.sluice.importer.decode.NamedDialect;
import io.sluice.importer.decode.infer.CsvSniffer;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.source.InputFile;
import io.sluice.model.error.BadInputException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/**
 * Options of the CSV format; shared by {@code import} and {@code encode}. A named dialect sets them all, and single
 * options override it. Options that CockroachDB's IMPORT also has accept its names too.
 */
public final class CsvOptions {
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
            converter = CharacterConverter.class,
            description = "Separator of fields; \\t is a tab. Default: a comma.")
    @Nullable
    Character delimiter;

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
            description = "Unquoted text that means NULL. Default: an empty field.")
    @Nullable
    String nullIf;

    @Option(names = "--allow-quoted-null", description = "The text that means NULL also means NULL inside quotes.")
    boolean quotedNull;

    @Option(names = "--strict-quotes", description = "Reject records with a quote inside an unquoted field.")
    boolean strictQuotes;

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
        given.put("--nullif", nullIf != null);
        given.put("--allow-quoted-null", quotedNull);
        given.put("--strict-quotes", strictQuotes);
        given.put("--header", header != null);
        return given.entrySet().stream()
                .filter(Map.Entry::getValue)
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse(null);
    }

    /**
     * Builds the CSV format, with the delimiter and header that a file has where no option says.
     *
     * @param maxRecordBytes longest record
     */
    InputFormat.Csv sniffed(InputFile file, int maxRecordBytes) {
        boolean named = !dialect.equals(NamedDialect.DEFAULT.label());
        CsvDialect found = new CsvSniffer(file, dialect(), maxRecordBytes)
                .find(delimiter == null && !named, header == null && columns == null);
        found.validate();
        return new InputFormat.Csv(found, columns);
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
                nullIf == null ? base.nullText() : nullIf,
                base.traits(),
                new CsvDialect.Records(hasHeader(), skip, rowLimit));
        made = quotedNull ? made.with(Trait.QUOTED_NULL) : made;
        made = strictQuotes ? made.with(Trait.STRICT_QUOTES) : made;
        made.validate();
        return made;
    }

    private static @Nullable Character orNone(String option, String value) {
        if (value.length() > 1) {
            throw new BadInputException(option + " '" + value + "' is not one character");
        }
        return value.isEmpty() ? null : value.charAt(0);
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
            members.put("delimiter", delimiter.toString());
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
        if (nullIf != null) {
            members.put("nullif", nullIf);
        }
        if (columns != null) {
            columns.forEach(members.putArray("columns")::add);
        }
        members.put("header", hasHeader());
        members.put("skip", skip);
        members.put("rowLimit", rowLimit);
        members.put("allowQuotedNull", quotedNull);
        members.put("strictQuotes", strictQuotes);
    }
}
