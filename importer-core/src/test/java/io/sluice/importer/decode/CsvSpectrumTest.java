package io.sluice.importer.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.model.schema.Ddl;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The corpus that CSV parsers of many languages are tried on: every file gives the records that come with it. */
class CsvSpectrumTest {
    private static Path corpus() throws URISyntaxException {
        return Path.of(Objects.requireNonNull(CsvSpectrumTest.class.getResource("/csv-spectrum/README.md"))
                        .toURI())
                .resolveSibling("csvs");
    }

    static List<Path> files() throws IOException, URISyntaxException {
        try (Stream<Path> files = Files.list(corpus())) {
            List<Path> found = files.sorted().toList();
            assertEquals(12, found.size(), found.toString());
            return found;
        }
    }

    @ParameterizedTest
    @MethodSource("files")
    void everyFileGivesItsRecords(Path file) throws IOException {
        Path json =
                file.resolveSibling("../json/" + file.getFileName().toString().replace(".csv", ".json"));
        JsonNode read = new ObjectMapper().readTree(json.toFile());
        // One record stands alone, and with a telephone number that is not the file's.
        JsonNode records = read.isObject()
                ? new ObjectMapper()
                        .createArrayNode()
                        .add(((ObjectNode) read).put("Contact Phone Number", "2095257564"))
                : read;
        List<String> columns = new ArrayList<>();
        records.get(0).fieldNames().forEachRemaining(columns::add);
        String ddl = columns.stream()
                .map(column -> '"' + column + "\" STRING")
                .collect(Collectors.joining(", ", "CREATE TABLE t (", ")"));
        CsvDialect dialect =
                new CsvDialect(",", '"', null, null, ValueFormat.DEFAULT, Set.of(), new CsvDialect.Records(true, 0, 0));
        CsvFormat format = new CsvFormat(Ddl.parse(ddl, "test").get(0), dialect, null, 1 << 20);
        List<Function<CsvFormat, SplitDecoder>> decoders = List.of(FastCsvDecoder::new, CommonsCsvDecoder::new);
        for (Function<CsvFormat, SplitDecoder> decoder : decoders) {
            for (int splitBytes : List.of(1, 20, 1 << 16)) {
                CsvRun run = CsvRun.of(file, format, decoder, splitBytes);
                assertTrue(run.rejects().isEmpty(), run.rejects().toString());
                assertEquals(
                        StreamSupport.stream(records.spliterator(), false)
                                .map(record -> text(record, columns))
                                .toList(),
                        run.rows().stream()
                                // Neither the offset nor the hidden row id is in the corpus.
                                .map(row -> row.replaceFirst("(?s)^\\d+: ", "").replaceFirst("(?s), NULL$", ""))
                                .toList());
            }
        }
    }

    private static String text(JsonNode record, List<String> columns) {
        List<String> slots = new ArrayList<>();
        for (Iterator<String> names = columns.iterator(); names.hasNext(); ) {
            String text = record.get(names.next()).asText();
            slots.add("VALUE '" + text + "'");
        }
        return String.join(", ", slots);
    }
}
