package io.sluice.importer.decode.avro;

import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;

/** Values as PostgreSQL prints them, by the JDK's means. */
final class ExpectedText {
    private static final DateTimeFormatter TIME = new DateTimeFormatterBuilder()
            .appendPattern("HH:mm:ss")
            .appendFraction(ChronoField.NANO_OF_SECOND, 0, 9, true)
            .toFormatter();

    private ExpectedText() {}

    static String time(LocalTime time) {
        return TIME.format(time);
    }

    static String timestamp(LocalDateTime timestamp) {
        return timestamp.toLocalDate() + " " + TIME.format(timestamp.toLocalTime());
    }
}
