package io.sluice.cli.jobs;

import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;

/** How long ago something was, in the largest unit that fits. */
final class Age {
    private Age() {}

    /**
     * The age in words.
     *
     * @param time as RFC 3339 has it
     * @param now of this machine, whose clock may be behind the service's
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
