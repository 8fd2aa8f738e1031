package io.sluice.importer.job;

import io.sluice.importer.decode.CsvDialect;
import io.sluice.importer.decode.CsvDialect.Records;
import io.sluice.importer.decode.NamedDialect;
import io.sluice.importer.decode.ValueFormat;
import io.sluice.importer.decode.input.DirectoryValues;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.source.Encoding;
import io.sluice.importer.source.InputFile;
import io.sluice.model.error.BadInputException;
import io.sluice.model.schema.TableDef;
import io.sluice.model.schema.TypeKind;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the options with which the beginning of a CSV file is rows of the table, by decoding it with others: header or
 * none, the usual delimiters, the dialects of databases, numbers and dates of other countries, the usual charsets. It
 * reads the first batch some hundred times, and only for an input that an import would refuse.
 */
final class CsvTrials {
    private static final Map<String, String> DELIMITERS = delimiters();

    /** Delimiters that are tried if they occur. Hive writes the character 1. */
    private static final List<String> RARE_DELIMITERS = List.of("||", "~", "^", ":", " ", "\u0001");

    /** Dialects that differ from the default in more than the delimiter. */
    private static final List<NamedDialect> DIALECTS = List.of(NamedDialect.POSTGRESQL_TEXT, NamedDialect.MYSQL);

    private static final List<String> NULL_TEXTS = List.of("NULL", "\\N", "NA", "N/A", "null", "None");

    private static final List<String> DATES = List.of(
            "dd.MM.yyyy",
            "MM/dd/yyyy",
            "dd/MM/yyyy",
            "M/d/yyyy",
            "yyyyMMdd",
            "dd-MMM-yyyy",
            "dd-MMM-yy",
            "yyyy/MM/dd",
            "yyyy-MM-dd HH:mm:ss");

    private static final List<String> TIMESTAMPS = List.of(
            "MM/dd/yyyy HH:mm[:ss]",
            "dd.MM.yyyy HH:mm[:ss]",
            "dd/MM/yyyy HH:mm[:ss]",
            "M/d/yyyy h:mm[:ss] a",
            "yyyy/MM/dd HH:mm[:ss]");

    private static final Charset WINDOWS = Charset.forName("windows-1252");

    private final InputFile input;
    private final InputFormat.Csv given;
    private final TableDef table;
    private final FirstRecords found;
    private final boolean inferred;

    /**
     * Creates a search.
     *
     * @param found the first batch with the given options
     * @param inferred whether the delimiter and header are those that suggested the table: with another delimiter, each
     *     line of any text would be a row of one field
     */
    CsvTrials(InputFile input, InputFormat.Csv given, TableDef table, FirstRecords found, boolean inferred) {
        this.inferred = inferred;
        this.input = input;
        this.given = given;
        this.table = table;
        this.found = found;
    }

    /** Other options, each as it is typed or left out, and the file and format that they make. */
    private record Trial(List<String> with, List<String> without, InputFile input, InputFormat.Csv format) {
        int changes() {
            return with.size() + without.size();
        }
    }

    /**
     * The options with which all records of the first batch are rows, in words; null if there are none. Of several, it
     * takes those with the most rows, then those with the fewest changes.
     */
    @Nullable
    String findOptions() {
        Trial best = null;
        long mostRows = 0;
        for (Trial trial : trials()) {
            long rows = rows(trial);
            if (rows > mostRows) {
                best = trial;
                mostRows = rows;
            }
        }
        return best == null ? null : describe(best, mostRows);
    }

    private List<Trial> trials() {
        Set<Charset> charsets = new LinkedHashSet<>(List.of(input.encoding().charset(), StandardCharsets.UTF_8));
        charsets.addAll(
                found.hasZeroBytes()
                        ? List.of(StandardCharsets.UTF_16LE, StandardCharsets.UTF_16BE)
                        : List.of(WINDOWS));
        List<Trial> trials = new ArrayList<>();
        for (Charset charset : charsets) {
            boolean given = charset.equals(input.encoding().charset());
            trials.addAll(trials(given ? List.of() : List.of("--charset " + charset.name()), recoded(charset)));
        }
        String delimiter = given.dialect().delimiter();
        boolean header = given.dialect().records().header();
        trials.removeIf(trial -> trial.changes() == 0
                || (inferred && !trial.format.dialect().delimiter().equals(delimiter))
                || (inferred && trial.format.dialect().records().header() != header));
        trials.sort(Comparator.comparingInt(Trial::changes));
        return trials;
    }

    private InputFile recoded(Charset charset) {
        return new InputFile(
                input.ordinal(),
                input.name(),
                input.origin(),
                input.sizeBytes(),
                new Encoding(input.encoding().compression(), charset));
    }

    private List<Trial> trials(List<String> with, InputFile file) {
        CsvDialect dialect = given.dialect();
        List<Trial> trials = new ArrayList<>();
        Map<String, List<String>> delimiters = new LinkedHashMap<>();
        delimiters.put(dialect.delimiter(), with);
        DELIMITERS.forEach(
                (delimiter, typed) -> delimiters.putIfAbsent(delimiter, added(with, "--delimiter " + typed)));
        for (String rare : RARE_DELIMITERS) {
            if (found.contains(rare)) {
                delimiters.putIfAbsent(
                        rare, added(with, "--delimiter '" + (rare.equals("\u0001") ? "\\x01" : rare) + "'"));
            }
        }
        delimiters.forEach((delimiter, options) -> values().forEach((more, values) -> {
            List<String> all = new ArrayList<>(options);
            all.addAll(more);
            CsvDialect other = dialect.withDelimiter(delimiter).with(values);
            trials.addAll(headers(new Trial(all, List.of(), file, format(other))));
        }));
        // A wrong delimiter makes short rows, too.
        if (found.rows() > found.rejects()) {
            trials.add(with(with, "--short-rows null", file, dialect.with(CsvDialect.Trait.SHORT_ROWS)));
        }
        if (given.columns() == null) {
            // Such as TPC-H's generator ends each record with a delimiter, as if there were one more field.
            List<String> columns = added(table.visibleNames(), "@end");
            String option = "--columns " + String.join(",", columns);
            delimiters.forEach((delimiter, options) -> {
                if (found.firstLineEndsWith(delimiter)) {
                    InputFormat.Csv other = new InputFormat.Csv(dialect.withDelimiter(delimiter), columns);
                    trials.add(new Trial(added(options, option), List.of(), file, other));
                }
            });
        }
        // Files may have the fields that their directories name values of.
        if (given.columns() == null && !DirectoryValues.of(input).columns(table).isEmpty()) {
            List<String> columns = table.visibleNames();
            List<String> options = added(with, "--columns " + String.join(",", columns));
            trials.add(new Trial(options, List.of(), file, new InputFormat.Csv(dialect, columns)));
        }
        for (NamedDialect named : DIALECTS) {
            CsvDialect other = named.dialect().with(dialect.records());
            trials.addAll(headers(with(with, "--dialect " + named.label(), file, other)));
        }
        quotes(dialect).forEach((option, other) -> {
            trials.addAll(headers(with(with, option, file, other)));
            trials.addAll(headers(with(added(with, "--nullif '\\N'"), option, file, withNulls(other, "\\N"))));
        });
        for (String text : NULL_TEXTS) {
            if (!found.contains(text)) {
                continue;
            }
            delimiters.forEach((delimiter, options) -> trials.addAll(headers(with(
                    options, "--nullif '" + text + "'", file, withNulls(dialect.withDelimiter(delimiter), text)))));
        }
        return trials;
    }

    private static CsvDialect withNulls(CsvDialect dialect, String text) {
        return dialect.with(dialect.values().withNull(List.of(text)));
    }

    /** Other quotes, escapes and comments, with delimiters that often come with them, by the options. */
    private static Map<String, CsvDialect> quotes(CsvDialect dialect) {
        Map<String, CsvDialect> others = new LinkedHashMap<>();
        others.put("--escape '\\'", dialect.withQuotes(dialect.quote(), '\\'));
        others.put("--quote ''", dialect.withQuotes(null, dialect.escape()));
        others.put("--quote \"'\"", dialect.withQuotes('\'', dialect.escape()));
        // A line that may be a row is none of the comments to suggest.
        others.put("--comment '#'", dialect.withComment('#').with(CsvDialect.Trait.GUESSED_COMMENT));
        others.put("--delimiter ', '", dialect.withDelimiter(", "));
        others.put("--delimiter '\\t' --quote ''", dialect.withDelimiter("\t").withQuotes(null, null));
        return others;
    }

    /**
     * Other forms of numbers and dates, by their options, if the table has such columns; the first is the given one.
     */
    private Map<List<String>, ValueFormat> values() {
        ValueFormat values = given.dialect().values();
        Set<TypeKind> kinds = EnumSet.noneOf(TypeKind.class);
        table.columns().forEach(column -> kinds.add(column.type().kind()));
        Map<List<String>, ValueFormat> numbers = new LinkedHashMap<>();
        numbers.put(List.of(), values);
        if (kinds.contains(TypeKind.DECIMAL) || kinds.contains(TypeKind.FLOAT4) || kinds.contains(TypeKind.FLOAT8)) {
            numbers.put(List.of("--decimal ,"), values.withNumbers(',', null));
            numbers.put(List.of("--decimal ,", "--thousands ."), values.withNumbers(',', '.'));
            numbers.put(List.of("--thousands ,"), values.withNumbers('.', ','));
        }
        Map<List<String>, ValueFormat> all = new LinkedHashMap<>(numbers);
        if (kinds.contains(TypeKind.TIMESTAMP) || kinds.contains(TypeKind.TIMESTAMPTZ)) {
            numbers.forEach((options, format) -> TIMESTAMPS.forEach(pattern -> all.put(
                    added(options, "--timestamp-format '" + pattern + "'"),
                    format.withPatterns(values.dates(), values.times(), List.of(pattern)))));
        }
        if (kinds.contains(TypeKind.DATE)) {
            numbers.forEach((options, format) -> DATES.forEach(pattern -> all.put(
                    added(options, "--date-format " + (pattern.contains(" ") ? "'" + pattern + "'" : pattern)),
                    format.withPatterns(List.of(pattern), values.times(), values.timestamps()))));
        }
        return all;
    }

    private Trial with(List<String> options, String option, InputFile file, CsvDialect dialect) {
        return new Trial(added(options, option), List.of(), file, format(dialect));
    }

    /** The trial as it is, with the first record as the other of header and row, and without the first record. */
    private List<Trial> headers(Trial trial) {
        CsvDialect dialect = trial.format.dialect();
        Records records = dialect.records();
        Records flipped = new Records(!records.header(), records.skip(), records.limit());
        Records skipping = new Records(false, records.skip() + 1, records.limit());
        InputFormat.Csv other = format(dialect.with(flipped));
        List<Trial> trials = new ArrayList<>(List.of(trial));
        if (records.header()) {
            trials.add(new Trial(trial.with, List.of("--header"), trial.input, other));
            return trials;
        }
        trials.add(new Trial(added(trial.with, "--header"), List.of(), trial.input, other));
        if (found.beginsWithoutNumbers()) {
            trials.add(with(trial.with, "--skip " + skipping.skip(), trial.input, dialect.with(skipping)));
        }
        return trials;
    }

    private InputFormat.Csv format(CsvDialect dialect) {
        return new InputFormat.Csv(dialect, given.columns());
    }

    /** Number of rows in the first batch; 0 if it has a record that is none. */
    private long rows(Trial trial) {
        try {
            trial.format.validate();
            FirstRecords read = FirstRecords.read(trial.input, trial.format, table);
            return read.misfit() == null && read.rejects() == 0 ? read.rows() : 0;
        } catch (BadInputException e) {
            // The options contradict each other, or the text is not in that charset.
            return 0;
        }
    }

    private static String describe(Trial trial, long rows) {
        List<String> changes = new ArrayList<>();
        if (!trial.with.isEmpty()) {
            changes.add("with " + String.join(" ", trial.with));
        }
        if (!trial.without.isEmpty()) {
            changes.add("without " + String.join(" ", trial.without));
        }
        return "Tried " + String.join(" and ", changes)
                + (rows == 1 ? ": the first record is a row" : ": the first " + rows + " records are rows");
    }

    private static List<String> added(List<String> options, String option) {
        List<String> more = new ArrayList<>(options);
        more.add(option);
        return more;
    }

    private static Map<String, String> delimiters() {
        Map<String, String> typed = new LinkedHashMap<>();
        typed.put(",", ",");
        typed.put(";", "';'");
        typed.put("\t", "'\\t'");
        typed.put("|", "'|'");
        return typed;
    }
}
