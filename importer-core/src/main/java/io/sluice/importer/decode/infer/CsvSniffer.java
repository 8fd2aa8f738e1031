package io.sluice.importer.decode.infer;

import io.sluice.importer.decode.CommonsFormats;
import io.sluice.importer.decode.CsvDialect;
import io.sluice.importer.decode.CsvDialect.Records;
import io.sluice.importer.decode.CsvDialect.Trait;
import io.sluice.importer.decode.ValueFormat;
import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.Split;
import io.sluice.importer.source.SplitSource;
import io.sluice.model.error.BadInputException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Finds the delimiter, quote, NULL, form of numbers and header of a CSV file in its first 128 KiB.
 *
 * <ul>
 *   <li>The delimiter is the one with which all records have the same number of fields, and the most of them. Of two,
 *       it is the one with more columns of numbers, times and the like. Excel's first line {@code sep=;} names it.
 *   <li>Quotes are single, or none, or behind a backslash, or lines with a hash are comments, if only so more records
 *       have the same number of fields. Lines with a hash are no comments if one of them may be a row.
 *   <li>{@code \N} is NULL if it is a field.
 *   <li>Numbers have another decimal sign or groups of thousands if a column is one of numbers with fractions only so.
 *       {@code 1,234} could be either, and decides nothing.
 *   <li>The first record is a header if a field of it is a name, but its column has only numbers, times and the like,
 *       and no other field fits the type of its column. In a file of columns of text alone, the fields are distinct
 *       names, and no record may repeat one. One column of text has no header.
 * </ul>
 */
public final class CsvSniffer {
    private static final int BATCH_BYTES = 128 << 10;

    private static final List<String> DELIMITERS = List.of(",", ";", "\t", "|");

    /** Forms of numbers to try beside PostgreSQL's: the decimal sign, and that of thousands. */
    private static final List<String> NUMBERS = List.of(",", ",.", ", ", ",\u00a0", ",\u202f", ",'", ".,", ".'");

    /** Begins with a letter, and is short. */
    private static final String NAME = "[\\p{L}_#%$][^\\p{Cntrl}]{0,127}";

    /** Texts for a missing value, which says nothing about a header. */
    private static final Set<String> MISSING = Set.of("na", "n/a", "nan", "null", "none", "nil", "inf", "infinity");

    private static final Pattern ANNOUNCED = Pattern.compile("(?i)\"?sep=(.)\"?");

    private static final String BACKSLASH_N = "\\N";

    /** Most records before the first row that {@link #recordsBefore} counts. */
    private static final int MOST_BEFORE = 10;

    private final InputFile file;
    private final CsvDialect given;
    private final int maxRecordBytes;

    /**
     * Creates a search.
     *
     * @param file can be read more than once
     * @param given has all that is not searched for
     */
    public CsvSniffer(InputFile file, CsvDialect given, int maxRecordBytes) {
        this.file = file;
        this.given = given;
        this.maxRecordBytes = maxRecordBytes;
    }

    /** Parts of a dialect to search for; the others are as given. */
    public enum Part {
        DELIMITER,
        /** Quote, escape and comments. */
        QUOTE,
        NULL,
        NUMBERS,
        HEADER
    }

    /**
     * Returns the given dialect with what was found.
     *
     * @throws BadInputException if the file cannot be read
     */
    public CsvDialect find(Set<Part> parts) {
        CsvDialect start = parts.containsAll(EnumSet.allOf(Part.class)) ? afterAnnouncement() : given;
        boolean delimiter = parts.contains(Part.DELIMITER) && start.equals(given);
        Sample best = best(delimiter, List.of(start));
        if (parts.contains(Part.QUOTE) && (best == null || !best.isClean())) {
            Sample other = best(delimiter, quotes(start));
            if (other != null && other.isTable() && (best == null || other.betterThan(best))) {
                best = other;
            }
        }
        if (best == null) {
            return start;
        }
        if (parts.contains(Part.NULL) && best.isTable() && best.hasBackslashN()) {
            Sample withNull = sample(best.dialect.with(best.dialect.values().withNull(List.of(BACKSLASH_N, ""))));
            best = withNull == null ? best : withNull;
        }
        CsvDialect found = start;
        if (best.isTable()) {
            found = best.dialect;
        } else {
            Sample asGiven = sample(start);
            best = asGiven == null ? best : asGiven;
        }
        if (parts.contains(Part.NUMBERS) && best.isTable() && best.typed() < best.fields.size()) {
            best = withNumbers(best);
            found = best.dialect;
        }
        Records records = start.records();
        return parts.contains(Part.HEADER)
                ? found.with(new Records(best.beginsWithHeader(), records.skip(), records.limit()))
                : found;
    }

    /**
     * Names for the fields of a file whose header leaves some out, repeats some or breaks lines in them; null if all
     * can be names.
     *
     * @param found the dialect that was found, with a header
     */
    public @Nullable List<String> renamed(CsvDialect found) {
        Sample sample = sample(found);
        return sample == null ? null : CsvInference.renamed(sample.fields);
    }

    /** The given dialect with the delimiter that Excel's first line names, which is skipped; else as given. */
    private CsvDialect afterAnnouncement() {
        Sample sample = given.records().skip() > 0 ? null : sample(given);
        Matcher line = ANNOUNCED.matcher(
                sample == null
                        ? ""
                        : String.join(given.delimiter(), sample.fields).strip());
        return line.matches()
                ? given.withDelimiter(line.group(1))
                        .with(new Records(false, 1, given.records().limit()))
                : given;
    }

    /** The given dialect with other quotes, escapes and comments, if it has the usual ones. */
    private static List<CsvDialect> quotes(CsvDialect dialect) {
        boolean usual = Objects.equals(dialect.quote(), '"') && dialect.escape() == null && dialect.comment() == null;
        return usual
                ? List.of(
                        dialect.withQuotes('"', '\\'),
                        dialect.withQuotes(null, null),
                        dialect.withQuotes('\'', null),
                        dialect.withComment('#').with(Trait.GUESSED_COMMENT))
                : List.of();
    }

    /** The best sample of some dialects, with all delimiters or with their own; null if no record can be read. */
    private @Nullable Sample best(boolean delimiters, List<CsvDialect> dialects) {
        Sample best = null;
        for (CsvDialect dialect : dialects) {
            for (String each : delimiters ? DELIMITERS : List.of(dialect.delimiter())) {
                Sample sample = sample(dialect.withDelimiter(each));
                // With other quotes or none, values would keep those that enclose them.
                boolean keepsQuotes =
                        sample != null && !Objects.equals(dialect.quote(), '"') && sample.columns.isQuoted();
                if (sample != null
                        && (!keepsQuotes || dialect.equals(given))
                        && !losesRows(sample)
                        && (best == null || sample.betterThan(best))) {
                    best = sample;
                }
            }
        }
        return best;
    }

    /**
     * Whether lines that a guessed comment character drops may be rows: they have the number of fields of a row. Lines
     * before a header are no rows, if the types of the columns tell it from one.
     */
    private boolean losesRows(Sample sample) {
        return sample.dialect.has(Trait.GUESSED_COMMENT)
                && (sample.columns.likeComments() > 0
                        || (!sample.hasHeaderByTypes() && fromStart(sample).likeComments() > 0));
    }

    /** The columns of a sample, with the first record and the lines before it. */
    private TextColumns fromStart(Sample sample) {
        TextColumns columns = new TextColumns(sample.fields, sample.dialect, maxRecordBytes);
        try (SplitSource source =
                new SplitSource(List.of(file), sample.dialect.framing(), reading(sample.dialect, false))) {
            Split split = new Split(BATCH_BYTES);
            if (source.next(split)) {
                columns.take(split, 0);
            }
        }
        return columns;
    }

    private SplitSource.Settings reading(CsvDialect dialect, boolean header) {
        return new SplitSource.Settings(
                BATCH_BYTES, maxRecordBytes, dialect.records().skip(), header);
    }

    /**
     * The number of records before the first row, with those that the found dialect skips. Without them, all records
     * have the same number of fields, and several. It is 0 if they have it as they are, or in no way.
     *
     * @param found the dialect that was found
     */
    public long recordsBefore(CsvDialect found) {
        Sample sample = sample(found);
        if (sample == null || sample.isTable() || sample.columns.malformed() == 0) {
            return 0;
        }
        for (int skip = 1; skip <= MOST_BEFORE; skip++) {
            for (String delimiter : DELIMITERS) {
                Records records = found.records();
                long all = records.skip() + skip;
                Sample later = sample(
                        found.withDelimiter(delimiter).with(new Records(records.header(), all, records.limit())));
                if (later != null && later.isClean() && later.columns.records() > 0) {
                    return all;
                }
            }
        }
        return 0;
    }

    /** The sample with the form of numbers that alone explains a column, if there is one. */
    private Sample withNumbers(Sample plain) {
        List<Sample> samples = new ArrayList<>(List.of(plain));
        for (String form : NUMBERS) {
            ValueFormat values =
                    plain.dialect.values().withNumbers(form.charAt(0), form.length() == 1 ? null : form.charAt(1));
            Sample sample = sample(plain.dialect.with(values));
            if (sample != null) {
                samples.add(sample);
            }
        }
        Sample best = plain;
        for (Sample sample : samples) {
            if (sample.typed() > best.typed() && sample.isNeeded(samples)) {
                best = sample;
            }
        }
        return best;
    }

    /** The first record and what the records after it have in common; null if there are none. */
    private @Nullable Sample sample(CsvDialect dialect) {
        try (SplitSource source = new SplitSource(List.of(file), dialect.framing(), reading(dialect, true))) {
            // A delimiter that is given may have the character of a quote or escape that is tried.
            dialect.validate();
            Split split = new Split(BATCH_BYTES);
            boolean more = source.next(split);
            byte[] first = split.header();
            if (first == null) {
                return null;
            }
            List<String> fields = CommonsFormats.names(first, dialect);
            TextColumns columns = new TextColumns(fields, dialect, maxRecordBytes);
            if (more) {
                columns.take(split, 0);
            }
            return new Sample(dialect, fields, columns);
        } catch (BadInputException e) {
            // Quotes that do not match, say: this delimiter is not the file's.
            return null;
        }
    }

    private record Sample(CsvDialect dialect, List<String> fields, TextColumns columns) {
        /** Whether there are several columns, and nine tenths of the records, or all but one, have a field for each. */
        boolean isTable() {
            return fields.size() > 1 && (isRegular() || (columns.malformed() == 1 && columns.records() > 1));
        }

        /** Whether at most a tenth of the records have another number of fields. */
        private boolean isRegular() {
            return columns.malformed() <= columns.records() / 10;
        }

        boolean hasBackslashN() {
            return columns.hasBackslashN() || fields.contains(BACKSLASH_N);
        }

        /** Whether there are several columns, and all records have a field for each. */
        boolean isClean() {
            return fields.size() > 1 && columns.malformed() == 0;
        }

        boolean betterThan(Sample other) {
            boolean regular = columns.malformed() == 0;
            if (isTable() != other.isTable()) {
                return isTable();
            }
            if (regular != (other.columns.malformed() == 0)) {
                return regular;
            }
            if (fields.size() != other.fields.size()) {
                return fields.size() > other.fields.size();
            }
            return typed() > other.typed();
        }

        private long typed() {
            return columns.evidence().stream().filter(ColumnEvidence::isTyped).count();
        }

        /** Whether a column has fractions, and is text in all samples whose form takes fewer or other numbers. */
        boolean isNeeded(List<Sample> samples) {
            for (int i = 0; i < fields.size(); i++) {
                int column = i;
                if (columns.evidence().get(i).isDecimal()
                        && samples.stream()
                                .filter(this::isRival)
                                .noneMatch(other ->
                                        other.columns.evidence().get(column).isTyped())) {
                    return true;
                }
            }
            return false;
        }

        /** Whether the other form neither is this one nor only adds groups to it. */
        private boolean isRival(Sample other) {
            ValueFormat form = dialect.values();
            ValueFormat otherForm = other.dialect.values();
            return !form.equals(otherForm) && (form.thousands() != null || form.decimal() != otherForm.decimal());
        }

        private static boolean named(List<String> fields) {
            return !fields.isEmpty()
                    && fields.stream().allMatch(field -> field.strip().matches(NAME));
        }

        boolean beginsWithHeader() {
            return beginsWithHeader(false);
        }

        /** Whether the types of the columns tell that the first record is a header. */
        boolean hasHeaderByTypes() {
            return beginsWithHeader(true);
        }

        private boolean beginsWithHeader(boolean byTypes) {
            Set<String> seen = new HashSet<>();
            boolean names = true;
            boolean told = false;
            for (int i = 0; i < fields.size(); i++) {
                String field = fields.get(i);
                String name = field.strip();
                if (name.isEmpty() && i == 0 && columns.evidence().get(i).isTyped()) {
                    // An index, as pandas writes it.
                    told |= !columns.evidence().get(i).hasNull() && named(fields.subList(1, fields.size()));
                    names = false;
                    continue;
                }
                boolean isName = name.matches(NAME) && !MISSING.contains(name.toLowerCase(Locale.ROOT));
                ColumnEvidence evidence = columns.evidence().get(i);
                if (evidence.isTyped() && !name.isEmpty()) {
                    if (evidence.fits(field)) {
                        return false;
                    }
                    told |= isName;
                }
                names &= isName && seen.add(name.toLowerCase(Locale.ROOT));
            }
            // A single record of names is a header without records, not a row.
            return told || (!byTypes && names && isRegular() && fields.size() > 1 && !columns.repeatsHeader());
        }
    }
}
