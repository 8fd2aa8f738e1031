package io.sluice.importer.decode.avro;

import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.OcfFraming;
import io.sluice.importer.source.OcfHeader;
import io.sluice.importer.source.Split;
import io.sluice.importer.source.SplitSource;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.Reasons;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.avro.NameValidator;
import org.apache.avro.Schema;
import org.jspecify.annotations.Nullable;

/** Parses schemas. Reports all parser errors as bad input that names the file. */
public final class AvroSchemas {
    /** The file's own schema; a map key of the specification. */
    static final String SCHEMA_KEY = "avro.schema";

    /** Most headers are shorter; for others the source makes room. */
    private static final int HEADER_BYTES = 64 << 10;

    private AvroSchemas() {}

    /**
     * Parses the schema of records.
     *
     * @param where source of the schema, for messages
     * @throws BadInputException when it is not a schema of records with data
     */
    public static Schema record(String json, String where) {
        Schema schema = parse(json, where);
        if (schema.getType() != Schema.Type.RECORD) {
            throw new BadInputException(where + ": the Avro schema is of type "
                    + schema.getType().getName() + "; rows need a record, with a field for each column");
        }
        if (new Skips().isEmpty(schema)) {
            throw new BadInputException(where + ": no field of the Avro record " + schema.getName()
                    + " has any data; there is nothing to import");
        }
        return schema;
    }

    /**
     * The schema that a file was written with.
     *
     * @throws BadInputException when the header has none
     */
    public static Schema ofFile(OcfHeader header, String fileName) {
        byte @Nullable [] json = header.metadata().get(SCHEMA_KEY);
        if (json == null) {
            throw new BadInputException(fileName + ": the Avro header has no schema (" + SCHEMA_KEY + ")");
        }
        return record(new String(json, StandardCharsets.UTF_8), fileName);
    }

    /**
     * The schema in the header of a container file, which is opened for it.
     *
     * @throws BadInputException when it is no container file
     */
    public static Schema ofFile(InputFile file) {
        SplitSource.Settings reading = new SplitSource.Settings(HEADER_BYTES, OcfFraming.MAX_RECORD_BYTES, 0, true);
        Split split = new Split(HEADER_BYTES);
        try (SplitSource source = new SplitSource(List.of(file), OcfFraming.UNKNOWN, reading)) {
            source.next(split);
        }
        byte[] header = split.header();
        return ofFile(OcfHeader.of(header == null ? new byte[0] : header, file.name()), file.name());
    }

    /** The parser throws many kinds of unchecked exceptions, and recurses as deep as the schema is nested. */
    @SuppressWarnings("AvoidCatchingStackOverflow")
    private static Schema parse(String json, String where) {
        try {
            // Names of fields need not be names of Avro for a file to be read: other writers are less strict.
            return new Schema.Parser(NameValidator.NO_VALIDATION)
                    .setValidateDefaults(false)
                    .parse(json);
        } catch (RuntimeException | StackOverflowError e) {
            throw new BadInputException(where + ": the Avro schema cannot be read: " + Reasons.plain(e), e);
        }
    }
}
