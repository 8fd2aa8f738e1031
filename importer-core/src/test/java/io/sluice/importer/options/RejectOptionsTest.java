package io.sluice.importer.options;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Default names of reject bundles. */
class RejectOptionsTest {
    @ParameterizedTest
    @CsvSource({"t, t-1", "../../x, .._.._x-1", "a\\b/c, a_b_c-1", ".., _-1", "Übergrößen 2, Übergrößen 2-1"})
    void aTablesNameLeadsNowhereElse(String table, String bundle) {
        assertEquals(bundle, RejectOptions.unusedBundle(table));
    }
}
