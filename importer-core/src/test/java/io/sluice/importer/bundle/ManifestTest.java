package io.sluice.importer.bundle;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.importer.decode.input.InputFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ManifestTest {
    @Test
    void fileIsOneFlatObject(@TempDir Path directory) throws IOException {
        Manifest.Content content = new Manifest.Content(3, 1, List.of(new Manifest.Data("a.csv", 2, 20)));
        Manifest manifest = Manifest.of(
                        new BundleSettings(directory, "CREATE TABLE t (a INT)", "1.0"),
                        "merge",
                        "t",
                        InputFormat.DEFAULT,
                        null)
                .ended(Manifest.State.IMPORTED, content);
        manifest.write(directory);
        assertEquals("""
                {
                  "version" : 1,
                  "sluice" : "1.0",
                  "state" : "imported",
                  "mode" : "merge",
                  "table" : "t",
                  "schema" : "CREATE TABLE t (a INT)",
                  "input" : {
                    "format" : "csv",
                    "charset" : "UTF-8",
                    "dialect" : {
                      "delimiter" : ",",
                      "quote" : "\\"",
                      "escape" : null,
                      "comment" : null,
                      "nullif" : null,
                      "header" : false,
                      "traits" : [ ]
                    }
                  },
                  "rejects" : 3,
                  "cut" : 1,
                  "data" : [ {
                    "file" : "a.csv",
                    "records" : 2,
                    "bytes" : 20
                  } ]
                }""", Files.readString(directory.resolve(Manifest.FILE)));
        assertEquals(manifest, Manifest.read(directory));
    }
}
