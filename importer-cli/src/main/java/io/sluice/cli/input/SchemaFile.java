package io.sluice.cli.input;

import io.sluice.model.error.BadInputException;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.TableDef;
import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/** Reads the DDL file of {@code --schema}. */
public final class SchemaFile {
    private SchemaFile() {}

    /**
     * Returns all tables of the file.
     *
     * @throws BadInputException if it cannot be read or is not valid DDL
     */
    public static List<TableDef> tables(Path file) {
        return Ddl.parse(text(file), file.toString());
    }

    /**
     * Returns the text of the file.
     *
     * @throws BadInputException when it cannot be read
     */
    public static String text(Path file) {
        if (Files.isDirectory(file)) {
            throw new BadInputException("--schema " + file + ": is a directory; name a file with CREATE TABLE");
        }
        try {
            return Files.readString(file);
        } catch (NoSuchFileException e) {
            throw new BadInputException("--schema " + file + ": no such file; check the path", e);
        } catch (AccessDeniedException e) {
            throw new BadInputException("--schema " + file + ": cannot be read: permission denied", e);
        } catch (MalformedInputException e) {
            throw new BadInputException("--schema " + file + ": is not UTF-8 text", e);
        } catch (IOException e) {
            throw new BadInputException("--schema " + file + ": cannot be read: " + e.getMessage(), e);
        }
    }
}
