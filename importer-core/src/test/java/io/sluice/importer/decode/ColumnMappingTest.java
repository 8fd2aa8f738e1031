package io.sluice.importer.decode;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.TableDef;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The names of a header or of {@code --columns}. */
class ColumnMappingTest {
    @Test
    void blanksAroundANameAreItsOwnIfAColumnHasThem() {
        TableDef table = Ddl.parse("CREATE TABLE t (id INT8 PRIMARY KEY, \" a\" STRING, b STRING);", "test")
                .get(0);
        ColumnMapping mapping = ColumnMapping.byName(table, List.of(" b", " a", "id "), "header");
        assertArrayEquals(new int[] {2, 1, 0}, mapping.columns());
    }

    @Test
    void caseCountsOnlyBetweenColumnsThatDifferInNothingElse() {
        TableDef table = Ddl.parse(
                        "CREATE TABLE t (\"Id\" INT8 PRIMARY KEY, \"B\" INT8, b INT8, \"Name\" STRING);", "test")
                .get(0);
        ColumnMapping mapping = ColumnMapping.byName(table, List.of("NAME", "b", "B", "id"), "header");
        assertArrayEquals(new int[] {3, 2, 1, 0}, mapping.columns());
    }
}
