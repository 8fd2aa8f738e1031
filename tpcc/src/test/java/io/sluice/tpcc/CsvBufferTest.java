package io.sluice.tpcc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CsvBufferTest {
    private static final LocalDateTime EPOCH = LocalDateTime.of(1970, 1, 1, 0, 0);

    private final CsvBuffer buffer = new CsvBuffer(1000);

    @Test
    void fieldsAreSeparatedAndRowsEnded() {
        buffer.number(0);
        buffer.nullField();
        buffer.number(-105);
        buffer.decimal(-1000, 2);
        buffer.decimal(5, 4);
        buffer.text(CsvBuffer.ascii("OE"));
        buffer.endRow();
        assertEquals("0,,-105,-10.00,0.0005,OE\n", written());
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 9, 10, 99, 100, 999_999_999_999_999_999L})
    void numbersAsJavaPrintsThem(long value) {
        buffer.number(value);
        assertEquals(value + ",", written());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1969-12-31T23:59:59.999999",
                "2000-02-29T00:00:00",
                "2020-12-31T12:34:56.000001",
                "2100-03-01T01:02:03"
            })
    void timestampsAsJavaPrintsThem(String text) {
        LocalDateTime time = LocalDateTime.parse(text);
        buffer.timestamp(ChronoUnit.MICROS.between(EPOCH, time));
        assertEquals(time.format(DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSSSSS,")), written());
    }

    private String written() {
        return new String(buffer.array(), 0, buffer.length(), StandardCharsets.US_ASCII);
    }
}
