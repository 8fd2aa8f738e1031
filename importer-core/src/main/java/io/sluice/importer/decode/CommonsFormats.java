package io.sluice.importer.decode;

import io.sluice.importer.decode.CsvDialect.Trait;
import java.nio.charset.StandardCharsets;
import org.apache.commons.csv.CSVFormat;

/** Converts dialects to formats of commons-csv. */
final class CommonsFormats {
    private CommonsFormats() {}

    /** Format of a dialect for text that was decoded as UTF-8. */
    static CSVFormat forText(CsvDialect dialect) {
        return of(dialect, String.valueOf(dialect.delimiter()));
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
}
