package io.sluice.sql.transaction;

import io.sluice.testing.Script;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests transactions on one store. The scripts are test resources, explained by {@link TransactionScript}. */
class TransactionScriptTest {
    @ParameterizedTest
    @ValueSource(strings = {"overlay", "visibility", "conflicts", "prepared", "spans"})
    void scriptAnswersAreAsWritten(String name, @TempDir Path directory) throws Exception {
        try (TransactionScript script = new TransactionScript(directory)) {
            Script.check(TransactionScriptTest.class, name + ".txt", script);
        }
    }
}
