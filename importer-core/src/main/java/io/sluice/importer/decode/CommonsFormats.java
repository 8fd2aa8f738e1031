package io.sluice.importer.decode;

import java.nio.charset.StandardCharsets;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.QuoteMode;
import org.jspecify.annotations.Nullable;

/** Dialects as commons-csv describes them. */
final class CommonsFormats {
    private CommonsFormats() {}

    /** Format of a dialect for text that was decoded as UTF-8. */
    static CSVFormat forText(CsvDialect dialect) {
        return of(dialect, String.valueOf(dialect.delimiter()), dialect.nullText());
    }

    /** Format of a dialect for UTF-8 bytes that are shown to the parser as one ISO 8859-1 character each. */
    static CSVFormat forBytes(CsvDialect dialect) {
        String nullText = dialect.nullText();
        return of(
                dialect,
                latin1View(String.valueOf(dialect.delimiter())),
                nullText == null ? null : latin1View(nullText));
    }

    private static String latin1View(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }

    private static CSVFormat of(CsvDialect dialect, String delimiter, @Nullable String nullText) {
        return CSVFormat.DEFAULT
                .builder()
                .setDelimiter(delimiter)
                .setQuote(dialect.quote())
                .setEscape(dialect.effectiveEscape())
                .setCommentMarker(dialect.comment())
                // Makes the parser tell an empty field without quotes, which is NULL, from one with quotes.
                .setQuoteMode(QuoteMode.ALL_NON_NULL)
                .setIgnoreEmptyLines(true)
                .setNullString(nullText)
                .get();
    }
}
