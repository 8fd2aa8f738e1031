package io.sluice.importer.encode;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.model.error.BadInputException;
import org.junit.jupiter.api.Test;

/** Row ids ascend with the input, and no two records have the same one. */
class RowIdsTest {
    private static final long MOST_BYTES = 1L << 40;

    @Test
    void lastRecordOfAFileComesBeforeTheFirstOfTheNext() {
        assertTrue(RowIds.of(0, MOST_BYTES - 1) < RowIds.of(1, 0));
    }

    @Test
    void recordBehindTheRangeOfAFileIsRefused() {
        BadInputException refused = assertThrows(BadInputException.class, () -> RowIds.of(0, MOST_BYTES));
        assertTrue(String.valueOf(refused.getMessage()).startsWith("input 1, byte " + MOST_BYTES), refused.toString());
    }
}
