package io.sluice.cli.jobs;

import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;

/** Formats the age of a time in its largest unit. */
final class Age {
    private Age() {}

    /**
     * Formats the age.
     *
     * @param time time in RFC 3339 format
     * @param now time of this machine, whose clock may be behind the service's
     */
    static String of(String time, Instant now) {
        try {
            Duration age = Duration.between(Instant.parse(time), now);
            if (age.isNegative() || age.toMinutes() < 1) {
                return Math.max(0, age.toSeconds()) + " s";
            }
            if (age.toHours() < 1) {
                return age.toMinutes() + " min";
            }
            return age.toDays() < 2 ? age.toHours() + " h" : age.toDays() + " d";
        } catch (DateTimeParseException e) {
            return "-";
        }
    }
}
