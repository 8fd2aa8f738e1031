package io.sluice.importer.decode.input;

import io.sluice.importer.decode.json.JsonDecoder;
import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.OcfHeader;
import io.sluice.importer.source.Split;
import io.sluice.importer.source.SplitSource;
import io.sluice.importer.source.parquet.ParquetStream;
import io.sluice.model.error.BadInputException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Detects the format of inputs by their names, or else by their first bytes: an Avro container file, a Parquet file,
 * JSON, else CSV. A file whose name says CSV is never JSON.
 */
public enum DetectedFormat {
    CSV,
    AVRO,
    PARQUET,
    /** JSON lines. */
    JSONL,
    /** One JSON array. */
    JSON;

    private static final int MAGIC_BYTES = 4;

    /** Enough for the first line of most files: 64 KiB. */
    private static final int HEAD_BYTES = 64 << 10;

    /** Names of Avro files, perhaps compressed as a whole. */
    private static final Pattern AVRO_NAME = named("avro");

    private static final Pattern PARQUET_NAME =
            Pattern.compile(".*\\.parquet", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    private static final Pattern JSON_LINES_NAME = named("jsonl|ndjson");
    private static final Pattern JSON_NAME = named("json");
    private static final Pattern CSV_NAME = named("csv|tsv|tab|psv|tbl");

    private static Pattern named(String suffixes) {
        return Pattern.compile(".*\\.(" + suffixes + ")(\\.[a-z0-9]+)?", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);
    }

    /** The format's name in options. */
    public String optionName() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Detects the common format of all inputs.
     *
     * @throws BadInputException when inputs have different formats
     */
    public static DetectedFormat of(List<InputFile> inputs) {
        InputFile first = inputs.get(0);
        DetectedFormat format = of(first);
        for (InputFile input : inputs) {
            DetectedFormat other = of(input);
            if (other != format) {
                throw new BadInputException(first.name() + " and " + input.name()
                        + " are files of different formats (" + format.optionName() + " and " + other.optionName()
                        + "); import them apart, or name their format with --format");
            }
        }
        return format;
    }

    private static DetectedFormat of(InputFile input) {
        String name = input.name();
        if (AVRO_NAME.matcher(name).matches()) {
            return AVRO;
        }
        if (PARQUET_NAME.matcher(name).matches()) {
            return PARQUET;
        }
        if (JSON_LINES_NAME.matcher(name).matches()) {
            return JSONL;
        }
        if (JSON_NAME.matcher(name).matches()) {
            // A pipe can be read only once, so its first bytes are left for the decoder.
            return input.repeatable() && JsonDecoder.beginsArray(head(input)) ? JSON : JSONL;
        }
        Path path = input.path();
        if (path == null || input.sizeBytes() < MAGIC_BYTES) {
            return CSV;
        }
        byte[] head = firstBytes(input, path);
        if (OcfHeader.isMagic(head, head.length)) {
            return AVRO;
        }
        if (ParquetStream.isMagic(head, head.length)) {
            return PARQUET;
        }
        if (CSV_NAME.matcher(name).matches()) {
            return CSV;
        }
        if (JsonDecoder.beginsArrayOfObjects(head)) {
            return JSON;
        }
        return JsonDecoder.beginsWithObject(head, head.length == HEAD_BYTES) ? JSONL : CSV;
    }

    private static byte[] firstBytes(InputFile input, Path path) {
        try (InputStream in = Files.newInputStream(path)) {
            return in.readNBytes(HEAD_BYTES);
        } catch (IOException e) {
            throw new BadInputException(input.name() + ": cannot be read: " + e.getMessage(), e);
        }
    }

    /** The first bytes of a text, decompressed and in UTF-8. */
    public static byte[] head(InputFile input) {
        Split split = new Split(HEAD_BYTES);
        try (SplitSource source = new SplitSource(
                List.of(input),
                JsonDecoder.framing(false),
                new SplitSource.Settings(HEAD_BYTES, HEAD_BYTES, 0, false))) {
            return source.next(split) ? Arrays.copyOfRange(split.buffer(), split.start(), split.end()) : new byte[0];
        }
    }
}
