package io.sluice.importer.decode;

import io.sluice.importer.decode.CsvDialect.Trait;
import io.sluice.model.error.BadInputException;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;

/** Converts dialects to formats of commons-csv, and reads headers with them. */
public final class CommonsFormats {
    private CommonsFormats() {}

    /** Format of a dialect for text that was decoded as UTF-8. */
    static CSVFormat forText(CsvDialect dialect) {
        return of(dialect, dialect.delimiter());
    }

    /** Format of a dialect for UTF-8 bytes that the parser gets as one ISO 8859-1 character each. */
    static CSVFormat forBytes(CsvDialect dialect) {
        return of(dialect, new String(dialect.delimiterBytes(), StandardCharsets.ISO_8859_1));
    }

    /** Leaves NULL to {@link RawFields}, which sees quotes and escapes. */
    private static CSVFormat of(CsvDialect dialect, String delimiter) {
        return CSVFormat.DEFAULT
                .builder()
                .setDelimiter(delimiter)
                .setQuote(dialect.quote())
                .setEscape(dialect.effectiveEscape())
                .setCommentMarker(dialect.comment())
                .setIgnoreEmptyLines(!dialect.has(Trait.EMPTY_LINES))
                .setIgnoreSurroundingSpaces(dialect.has(Trait.SURROUNDING_SPACES))
                .setTrim(dialect.has(Trait.TRIM))
                .get();
    }

    /**
     * The fields of a header record.
     *
     * @throws BadInputException when it has none, or is not a record of the dialect
     */
    public static List<String> names(byte[] header, CsvDialect dialect) {
        String text = new String(header, StandardCharsets.UTF_8);
        try (CSVParser parser = forText(dialect).parse(new StringReader(text))) {
            List<CSVRecord> records = parser.getRecords();
            if (records.isEmpty()) {
                throw new BadInputException("the header is empty; leave --header away if the file has none");
            }
            return records.get(0).stream().map(name -> name == null ? "" : name).toList();
        } catch (IOException | UncheckedIOException e) {
            throw new BadInputException("the header cannot be read: " + e.getMessage(), e);
        }
    }
}
