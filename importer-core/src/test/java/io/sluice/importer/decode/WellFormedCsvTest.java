package io.sluice.importer.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.SplitSource;
import io.sluice.model.schema.Ddl;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.QuoteMode;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Sluice and commons-csv read the same texts from well-formed files that commons-csv wrote. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class WellFormedCsvTest {
    private static final long SEED = Long.getLong("sluice.seed", System.nanoTime());
    private static final List<@Nullable String> TEXTS = Arrays.asList(
            "",
            "a",
            "plain text",
            "1",
            " blanks around ",
            "a,b;c|d\te",
            "say \"hello\"",
            "it's",
            "\"",
            "''",
            "two\nlines",
            "two\r\nlines",
            "\r",
            "ä日本\ud83d\ude00",
            "#",
            "\\",
            "\\N",
            "NULL",
            null,
            null);

    @TempDir
    Path directory;

    static Stream<Arguments> dialects() {
        List<Arguments> all = new ArrayList<>();
        for (char delimiter : new char[] {',', '\t', ';', '|'}) {
            for (char quote : new char[] {'"', '\''}) {
                for (String lineEnd : List.of("\n", "\r\n", "\r")) {
                    all.add(Arguments.of(delimiter, quote, lineEnd));
                }
            }
        }
        return all.stream();
    }

    @ParameterizedTest
    @MethodSource("dialects")
    void texts(char delimiter, char quote, String lineEnd) throws IOException {
        CSVFormat byHand = CSVFormat.DEFAULT
                .builder()
                .setDelimiter(delimiter)
                .setQuote(quote)
                .setRecordSeparator(lineEnd)
                .setQuoteMode(QuoteMode.ALL_NON_NULL)
                .get();
        List<List<@Nullable String>> model = model();
        StringBuilder text = new StringBuilder();
        for (List<@Nullable String> row : model) {
            text.append(byHand.format(row.toArray())).append(lineEnd);
        }
        String context = "seed " + SEED;
        try (CSVParser parser = byHand.parse(new StringReader(text.toString()))) {
            assertEquals(
                    model,
                    parser.stream().map(record -> record.stream().toList()).toList(),
                    context);
        }
        CsvDialect dialect = new CsvDialect(
                String.valueOf(delimiter), quote, null, null, ValueFormat.DEFAULT, Set.of(), CsvDialect.Records.ALL);
        CsvFormat format = new CsvFormat(
                Ddl.parse("CREATE TABLE t (a STRING, b STRING, c STRING)", "test")
                        .get(0),
                dialect,
                null,
                1 << 20);
        Path file = Files.writeString(directory.resolve("input.csv"), text.toString());
        assertEquals(model, decode(file, new FastCsvDecoder(format), dialect), context);
        assertEquals(model, decode(file, new CommonsCsvDecoder(format), dialect), context);
    }

    private static List<List<@Nullable String>> model() {
        Random random = new Random(SEED);
        List<List<@Nullable String>> rows = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            List<@Nullable String> row = new ArrayList<>();
            for (int column = 0; column < 3; column++) {
                row.add(TEXTS.get(random.nextInt(TEXTS.size())));
            }
            rows.add(row);
        }
        return rows;
    }

    private static List<List<@Nullable String>> decode(Path file, SplitDecoder decoder, CsvDialect dialect)
            throws IOException {
        List<List<@Nullable String>> rows = new ArrayList<>();
        Decoding.run(
                new InputFile(0, "input.csv", file, Files.size(file)),
                dialect.framing(),
                new SplitSource.Settings(1 << 10, 1 << 20, 0, false),
                decoder,
                (row, offset) -> {
                    List<@Nullable String> texts = new ArrayList<>();
                    for (int i = 0; i < 3; i++) {
                        texts.add(
                                row.isNull(i)
                                        ? null
                                        : new String(
                                                row.buffer(i), row.offset(i), row.length(i), StandardCharsets.UTF_8));
                    }
                    rows.add(texts);
                },
                reject -> {
                    throw new AssertionError(
                            "rejected at byte " + reject.place().byteOffset() + ": "
                                    + reject.problem().message());
                });
        return rows;
    }
}
