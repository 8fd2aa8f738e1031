package io.sluice.importer.decode.avro;

import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.OcfFraming;
import io.sluice.importer.source.OcfHeader;
import io.sluice.importer.source.Split;
import io.sluice.model.error.BadInputException;
import org.apache.avro.Schema;

/**
 * The header of a file, resolved against the table.
 *
 * @param file the file
 * @param schema of the writer
 * @param codec of the blocks
 * @param framing finds the ends of blocks
 * @param layout plan from records to rows
 */
record ContainerFile(InputFile file, Schema schema, BlockCodec codec, OcfFraming framing, AvroLayout layout) {
    /**
     * Reads the header that comes with a split.
     *
     * @throws BadInputException when the file cannot be read with this table
     */
    static ContainerFile of(Split split, AvroFormat format) {
        String name = split.file().name();
        byte[] bytes = split.header();
        if (bytes == null) {
            throw new BadInputException(name + ": the Avro header is longer than " + OcfFraming.MAX_RECORD_BYTES
                    + " bytes; is it an Avro file?");
        }
        OcfHeader header = OcfHeader.of(bytes, name);
        Schema schema = AvroSchemas.ofFile(header, name);
        return new ContainerFile(
                split.file(),
                schema,
                BlockCodec.of(header, name),
                new OcfFraming(header.sync()),
                AvroLayout.of(format.table(), schema, format.schema(), format.strict(), name));
    }
}
