package io.sluice.cli.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Locale;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class SizeConverterTest {
    @ParameterizedTest
    @CsvSource({
        "0,0",
        "1,1",
        "1b,1",
        "2k,2048",
        "512m,536870912",
        "4G,4294967296",
        "4GiB,4294967296",
        "4gi,4294967296",
        "512MiB,536870912",
        "1t,1099511627776"
    })
    void sizes(String text, long bytes) {
        assertEquals(bytes, new SizeConverter().convert(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "m", "-1", "1.5g", "12x", "b", "ib", "1ib", "99999999999t"})
    void noSizes(String text) {
        assertThrows(TypeConversionException.class, () -> new SizeConverter().convert(text));
    }

    /** Reports print 306 MB for 306,000,000 bytes. */
    @ParameterizedTest
    @ValueSource(strings = {"512MB", "4gb", "1kB"})
    void unitsOfReportsAreRefused(String text) {
        TypeConversionException refused =
                assertThrows(TypeConversionException.class, () -> new SizeConverter().convert(text));
        assertTrue(String.valueOf(refused.getMessage())
                .contains("; write " + text.substring(0, text.length() - 1).toLowerCase(Locale.ROOT)));
    }
}
