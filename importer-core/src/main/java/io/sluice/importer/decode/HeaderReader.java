package io.sluice.importer.decode;

import io.sluice.model.error.BadInputException;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;

/** Reads the column names in a header record. */
public final class HeaderReader {
    private HeaderReader() {}

    /**
     * The fields of a header record.
     *
     * @throws BadInputException when it has none, or is not a record of the dialect
     */
    public static List<String> names(byte[] header, CsvDialect dialect) {
        String text = new String(header, StandardCharsets.UTF_8);
        try (CSVParser parser = CommonsFormats.forText(dialect).parse(new StringReader(text))) {
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
