package io.sluice.importer.options;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.importer.source.InputFile;
import io.sluice.model.error.BadInputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Options of one format with inputs of another. */
@SuppressWarnings("NullAway.Init") // JUnit and picocli set the fields
class FormatOptionsTest {
    @TempDir
    Path directory;

    @Command
    private static final class Options {
        @Mixin
        FormatOptions format;
    }

    @ParameterizedTest
    @CsvSource({
        "in.avro, auto, --row-limit, 3, Avro",
        "in.avro, avro, --skip, 2, Avro",
        "in.avro, avro-json, --nullif, NA, Avro",
        "in.avro, avro-binary, --columns, a, Avro",
        "in.parquet, auto, --delimiter, ;, Parquet",
        "in.parquet, parquet, --date-format, dd.MM.yyyy, Parquet",
        "in.jsonl, auto, --skip, 2, JSON",
        "in.csv, auto, --nanos, round, CSV",
    })
    void optionsOfAnotherFormatAreRefused(String name, String format, String option, String value, String words)
            throws IOException {
        BadInputException e = assertThrows(BadInputException.class, () -> of(name, "--format", format, option, value));
        assertEquals(
                option + " is given, but the input is " + words + "; name its format with --format", e.getMessage());
    }

    @Test
    void optionsOfAvroHoldForParquet() throws IOException {
        of("in.parquet", "--nanos", "round", "--avro-strict");
        of("in.avro", "--nanos", "round", "--avro-strict");
    }

    private void of(String name, String... arguments) throws IOException {
        // The formats of containers are detected by their first bytes.
        String start = name.endsWith(".avro") ? "Obj\u0001" : name.endsWith(".parquet") ? "PAR1" : "{";
        Path path = Files.writeString(directory.resolve(name), start + "\n");
        Options options = new Options();
        new CommandLine(options).parseArgs(arguments);
        var unused = options.format.of(List.of(new InputFile(0, name, path, Files.size(path))));
    }
}
