package io.sluice.importer.options;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.model.error.BadInputException;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SchemaFileTest {
    private static final String DDL = "CREATE TABLE t (name STRING DEFAULT 'Käse')";

    /** Generated scripts of SQL Server are UTF-16 with a byte order mark. */
    @Test
    void utf16HasAByteOrderMark(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("t.sql");
        for (String charset : new String[] {"UTF-8", "UTF-16LE", "UTF-16BE"}) {
            String text = (charset.equals("UTF-8") ? "" : "\ufeff") + DDL;
            Files.write(file, text.getBytes(Charset.forName(charset)));
            assertEquals(DDL, SchemaFile.text(file));
        }
        Files.write(file, DDL.getBytes(Charset.forName("windows-1252")));
        assertThrows(BadInputException.class, () -> SchemaFile.text(file));
    }
}
