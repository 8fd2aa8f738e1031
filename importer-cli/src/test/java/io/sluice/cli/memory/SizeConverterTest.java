package io.sluice.cli.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

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
        "1tb,1099511627776"
    })
    void sizes(String text, long bytes) {
        assertEquals(bytes, new SizeConverter().convert(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "m", "-1", "1.5g", "12x", "b", "99999999999t"})
    void noSizes(String text) {
        assertThrows(TypeConversionException.class, () -> new SizeConverter().convert(text));
    }
}
