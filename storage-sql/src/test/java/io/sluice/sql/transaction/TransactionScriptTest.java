package io.sluice.sql.transaction;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests transactions on one store. The scripts are test resources, explained by {@link TransactionScript}. */
class TransactionScriptTest {
    @ParameterizedTest
    @ValueSource(strings = {"overlay", "visibility", "conflicts", "prepared", "spans"})
    void scriptAnswersAreAsWritten(String name, @TempDir Path directory) throws Exception {
        String expected = read(name + ".txt");
        assertEquals(expected, TransactionScript.replay(expected, directory));
    }

    private static String read(String name) throws Exception {
        try (InputStream in = TransactionScriptTest.class.getResourceAsStream(name)) {
            return new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
