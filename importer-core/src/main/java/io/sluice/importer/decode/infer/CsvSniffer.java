package io.sluice.importer.decode.infer;

import io.sluice.importer.decode.CommonsFormats;
import io.sluice.importer.decode.CsvDialect;
import io.sluice.importer.decode.CsvDialect.Records;
import io.sluice.importer.decode.ValueFormat;
import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.Split;
import io.sluice.importer.source.SplitSource;
import io.sluice.model.error.BadInputException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the delimiter of a CSV file, how its numbers are written, and whether its first record is a header, in its
 * first 128 KiB.
 *
 * <ul>
 *   <li>The delimiter is the one with which all records have the same number of fields, and the most of them. Of two,
 *       it is the one with more columns of numbers, times and the like.
 *   <li>Numbers have another decimal sign or groups of thousands if a column is one of numbers with fractions only so.
 *       {@code 1,234} could be either, and decides nothing.
 *   <li>The first record is a header if its fields are distinct names, and none of them is a value of the type that its
 *       column has. In a file of several columns of text alone, no record may repeat a name; one column of text has no
 *       header.
 * </ul>
 */
public final class CsvSniffer {
    private static final int BATCH_BYTES = 128 << 10;

    private static final List<String> DELIMITERS = List.of(",", ";", "\t", "|");

    /** Forms of numbers to try beside PostgreSQL's: the decimal sign, and that of thousands. */
    private static final List<String> NUMBERS = List.of(",", ",.", ", ", ",\u00a0", ",\u202f", ",'", ".,", ".'");

    /** Begins with a letter, and is short. */
    private static final String NAME = "[\\p{L}_#%$][^\\p{Cntrl}]{0,127}";

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

    /**
     * Returns the given dialect with what was found.
     *
     * @param delimiter whether to search for the delimiter; otherwise the given one holds
     * @param numbers whether to search for the form of numbers; otherwise the given one holds
     * @param header whether to search for a header; otherwise it is there or not as given
     * @throws BadInputException if the file cannot be read
     */
    public CsvDialect find(boolean delimiter, boolean numbers, boolean header) {
        Sample best = null;
        for (String each : delimiter ? DELIMITERS : List.of(given.delimiter())) {
            Sample sample = sample(given.withDelimiter(each));
            if (sample != null && (best == null || sample.betterThan(best))) {
                best = sample;
            }
        }
        if (best == null) {
            return given;
        }
        CsvDialect found = best.isTable() ? given.withDelimiter(best.dialect.delimiter()) : given;
        if (numbers && best.isTable() && best.typed() < best.fields.size()) {
            best = withNumbers(best);
            found = best.dialect;
        }
        Records records = given.records();
        return header ? found.with(new Records(best.beginsWithHeader(), records.skip(), records.limit())) : found;
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
        SplitSource.Settings reading = new SplitSource.Settings(
                BATCH_BYTES, maxRecordBytes, dialect.records().skip(), true);
        try (SplitSource source = new SplitSource(List.of(file), dialect.framing(), reading)) {
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
        /** Whether there are several columns, and at least nine tenths of the records have a field for each. */
        boolean isTable() {
            return fields.size() > 1 && columns.malformed() <= columns.records() / 10;
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

        boolean beginsWithHeader() {
            Set<String> seen = new HashSet<>();
            for (String field : fields) {
                String name = field.strip();
                if (!name.matches(NAME) || !seen.add(name.toLowerCase(Locale.ROOT))) {
                    return false;
                }
            }
            if (columns.records() == 0) {
                return false;
            }
            for (int i = 0; i < fields.size(); i++) {
                ColumnEvidence evidence = columns.evidence().get(i);
                if (evidence.isTyped() && evidence.fits(fields.get(i))) {
                    return false;
                }
            }
            return typed() > 0 || (fields.size() > 1 && !columns.repeatsHeader());
        }
    }
}
