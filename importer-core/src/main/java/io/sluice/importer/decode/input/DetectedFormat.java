package io.sluice.importer.decode.input;

import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.OcfHeader;
import io.sluice.model.error.BadInputException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** Detects the format of inputs: an Avro container file by its first bytes or its name, else CSV. */
public enum DetectedFormat {
    CSV,
    AVRO;

    private static final int MAGIC_BYTES = 4;

    /** Names of Avro files, perhaps compressed as a whole. */
    private static final Pattern AVRO_NAME = Pattern.compile(".*\\.avro(\\.[a-z0-9]+)?", Pattern.CASE_INSENSITIVE);

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
            if (of(input) != format) {
                throw new BadInputException(first.name() + " and " + input.name()
                        + " are files of different formats (" + format.optionName() + " and "
                        + of(input).optionName() + "); import them apart, or name their format with --format");
            }
        }
        return format;
    }

    private static DetectedFormat of(InputFile input) {
        Path path = input.path();
        if (AVRO_NAME.matcher(input.name()).matches()) {
            return AVRO;
        }
        // A pipe can be read only once, so its first bytes are left for the decoder.
        if (path == null || input.sizeBytes() < MAGIC_BYTES) {
            return CSV;
        }
        try (InputStream in = Files.newInputStream(path)) {
            byte[] begin = in.readNBytes(MAGIC_BYTES);
            return OcfHeader.isMagic(begin, begin.length) ? AVRO : CSV;
        } catch (IOException e) {
            throw new BadInputException(input.name() + ": cannot be read: " + e.getMessage(), e);
        }
    }
}
