package io.sluice.engine.compact;

import io.sluice.testing.Script;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests trees as pictures. The scripts are test resources, explained by {@link LsmScript}. */
class LsmScriptTest {
    @ParameterizedTest
    @ValueSource(strings = {"wide-file", "base-closure", "levels", "picker-tall", "picker-final"})
    void scriptAnswersAreAsWritten(String name) throws Exception {
        Script.check(LsmScriptTest.class, name + ".txt", new LsmScript());
    }
}
