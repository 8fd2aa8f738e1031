package io.sluice.importer.options;

import io.sluice.model.error.BadInputException;
import io.sluice.model.error.Reasons;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.TableDef;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.function.Consumer;

/** Reads the DDL file of {@code --schema}. */
public final class SchemaFile {
    /** Maximum size of a schema file; a larger one is a dump with its rows. */
    private static final long MAX_BYTES = 16 << 20;

    private SchemaFile() {}

    /**
     * Returns all tables of the file, with the remarks on what an import does not do as declared.
     *
     * @throws BadInputException if it cannot be read or is not valid DDL
     */
    public static Ddl.Schema schema(Path file) {
        return Ddl.read(text(file), file.toString());
    }

    public static void printRemarks(Path file, Ddl.Schema schema, TableDef table, Consumer<String> lines) {
        schema.remarks(table.name()).forEach(remark -> lines.accept(file + ": " + remark));
    }

    /**
     * Returns the text of the file.
     *
     * @throws BadInputException when it cannot be read
     */
    public static String text(Path file) {
        return text(file, "--schema " + file);
    }

    /**
     * Returns the text of the file.
     *
     * @param option the option with the file, for messages
     * @throws BadInputException when it cannot be read
     */
    public static String text(Path file, String option) {
        if (Files.isDirectory(file)) {
            throw new BadInputException(option + ": is a directory; name a file with CREATE TABLE");
        }
        try {
            // A pipe has no size.
            if (Files.isRegularFile(file) && Files.size(file) > MAX_BYTES) {
                throw new BadInputException(option + ": is larger than " + (MAX_BYTES >> 20)
                        + " MiB, so it seems to hold rows; dump the schema alone, with pg_dump --schema-only or"
                        + " mysqldump --no-data");
            }
            byte[] text = Files.readAllBytes(file);
            // SQL Server's tools write scripts in UTF-16, with a byte order mark.
            boolean utf16 = text.length >= 2
                    && ((text[0] == (byte) 0xff && text[1] == (byte) 0xfe)
                            || (text[0] == (byte) 0xfe && text[1] == (byte) 0xff));
            return (utf16 ? StandardCharsets.UTF_16 : StandardCharsets.UTF_8)
                    .newDecoder()
                    .decode(ByteBuffer.wrap(text))
                    .toString();
        } catch (NoSuchFileException e) {
            throw new BadInputException(option + ": no such file; check the path", e);
        } catch (CharacterCodingException e) {
            throw new BadInputException(option + ": is not UTF-8 text, nor UTF-16 with a byte order mark", e);
        } catch (IOException e) {
            throw new BadInputException(option + ": cannot be read: " + Reasons.ofFile(file, e), e);
        }
    }
}
