package io.sluice.importer.decode.input;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.model.error.BadInputException;
import io.sluice.model.schema.Column;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.TableDef;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Bytes in names of directories. */
class DirectoryValuesTest {
    private static final TableDef TABLE =
            Ddl.parse("CREATE TABLE t (id INT8 PRIMARY KEY, s STRING)", "t").get(0);

    private static Column filled(String path) {
        return DirectoryValues.of(path).fill(TABLE, path).columns().get(1);
    }

    @ParameterizedTest
    @CsvSource({
        "s=New%20York%2FNY, New York/NY",
        "s=a+b%2b, a+b+",
        "s=%C3%BC, ü",
        "s=ü%20日, ü 日",
        "%73=x, x",
        "s=100%, 100%",
        "s=%zz, %zz",
        "s=%EF%BF%BD, \ufffd",
        "s=x/other=%FF, x",
        "S=x?/w?=y, x?",
    })
    void percentSignsAreBytes(String path, String value) {
        assertEquals(value, filled(path + "/a.csv").defaultText());
    }

    @Test
    void valueThatIsNotUtf8IsRefused() {
        for (String path : new String[] {"s=a%FFb/a.csv", "s=%C3/a.csv", "s=ü%BC/a.csv", "%73=%ED%A0%80/a.csv"}) {
            BadInputException e = assertThrows(BadInputException.class, () -> filled(path));
            assertEquals(
                    path + ": the bytes of the directory " + path.substring(0, path.length() - 6)
                            + " are not UTF-8; rename it",
                    e.getMessage());
        }
    }
}
