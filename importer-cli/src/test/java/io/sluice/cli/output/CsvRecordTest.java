package io.sluice.cli.output;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.model.error.BadInputException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CsvRecordTest {
    private static final List<@Nullable String> UGLY =
            Arrays.asList("a", null, "", "b,c", "say \"x\"", "two\nlines", " ", null);

    @Test
    void quotesOnlyWhatNeedsIt() {
        assertEquals("a,,\"\",\"b,c\",\"say \"\"x\"\"\",\"two\nlines\", ,", CsvRecord.format(UGLY));
    }

    @Test
    void readsBackWhatItWrote() {
        assertEquals(UGLY, CsvRecord.parse(CsvRecord.format(UGLY), "test"));
    }

    @Test
    void anEmptyRecordIsOneNull() {
        assertEquals(Arrays.asList((String) null), CsvRecord.parse("", "test"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"a", "\"a\"b", "1,\"", "\"\"\""})
    void refusesBadQuoting(String record) {
        assertThrows(BadInputException.class, () -> CsvRecord.parse(record, "--from"));
    }
}
