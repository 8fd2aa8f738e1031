package io.sluice.importer.decode;

import io.sluice.model.schema.TypeKind;
import io.sluice.model.text.DatumProblem;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.chrono.IsoEra;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.ResolverStyle;
import java.time.temporal.ChronoField;
import java.time.temporal.TemporalAccessor;
import java.time.temporal.TemporalQueries;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TimeZone;
import org.jspecify.annotations.Nullable;

/**
 * Converts dates and times that are written by a pattern. Names of months and days are English, in any case. A day that
 * does not exist is refused. A timestamp without a time is at midnight; one with a zone has that zone's offset, unless
 * it has an offset, too. A time that the zone's clocks skip is refused. A name such as CET or CEST is that of standard
 * or of daylight saving time, whatever the date.
 */
final class PatternConverter extends ValueConverter {
    private static final DatumProblem SKIPPED = new DatumProblem(
            DatumProblem.Code.OUT_OF_RANGE, "is a time that does not exist: the clocks of its zone skip it");

    private static final DatumProblem UNCLEAR_ZONE = new DatumProblem(
            DatumProblem.Code.SYNTAX,
            "has a name of a time zone that is not clear; write the offset, or a name such as Europe/Paris");

    private static final DatumProblem HALF_A_TIME = new DatumProblem(
            DatumProblem.Code.SYNTAX,
            "has a part of a time of day, but not its hour; write HH in the pattern, or hh with a for AM or PM");

    private static final int SECONDS_PER_HOUR = 3_600;
    private static final int MILLIS_PER_SECOND = 1_000;

    private final DateTimeFormatter formatter;
    /** Whether zones may be names of their standard or daylight saving time. */
    private final boolean zoneNames;

    private final TypeKind kind;
    private final DatumProblem mismatch;

    /** @throws IllegalArgumentException if the pattern is not one of {@link DateTimeFormatter} */
    PatternConverter(String pattern, TypeKind kind) {
        this.kind = kind;
        if (pattern.isEmpty()) {
            throw new IllegalArgumentException("the pattern is empty");
        }
        // The letter y is the year of an era, so a strict formatter needs an era.
        formatter = new DateTimeFormatterBuilder()
                .parseCaseInsensitive()
                .appendPattern(pattern)
                .parseDefaulting(ChronoField.ERA, IsoEra.CE.getValue())
                .toFormatter(Locale.ENGLISH)
                .withResolverStyle(ResolverStyle.STRICT);
        zoneNames = pattern.replaceAll("'[^']*'", "").indexOf('z') >= 0;
        mismatch = new DatumProblem(DatumProblem.Code.SYNTAX, kind + " must have the form " + pattern);
    }

    @Override
    public @Nullable DatumProblem convert(byte[] buffer, int from, int to) {
        String text = new String(buffer, from, to - from, StandardCharsets.UTF_8).strip();
        try {
            return usual(formatter.parse(text), text);
        } catch (DateTimeException e) {
            return mismatch;
        }
    }

    /** Sets the usual form of a value. */
    private @Nullable DatumProblem usual(TemporalAccessor parsed, String text) {
        if (kind == TypeKind.DATE) {
            return found(LocalDate.from(parsed).toString());
        }
        if (kind == TypeKind.TIME) {
            return found(DateTimeFormatter.ISO_LOCAL_TIME.format(LocalTime.from(parsed)));
        }
        LocalDate date = LocalDate.from(parsed);
        LocalTime time = parsed.query(TemporalQueries.localTime());
        if (time == null && hasTime(parsed)) {
            return HALF_A_TIME;
        }
        LocalDateTime local = date.atTime(time == null ? LocalTime.MIDNIGHT : time);
        String moment = date + " " + DateTimeFormatter.ISO_LOCAL_TIME.format(local.toLocalTime());
        ZoneId zone = parsed.query(TemporalQueries.zone());
        if (zone == null) {
            return found(moment);
        }
        // The offset tells which of two times is meant in the hour that comes twice.
        ZoneOffset offset = parsed.query(TemporalQueries.offset());
        if (offset == null) {
            List<ZoneOffset> offsets = zone.getRules().getValidOffsets(local);
            if (offsets.isEmpty()) {
                return SKIPPED;
            }
            offset = zoneNames && !zone.getRules().isFixedOffset() ? named(text, zone, local, offsets) : offsets.get(0);
            if (offset == null) {
                return UNCLEAR_ZONE;
            }
        }
        return found(moment + (offset.equals(ZoneOffset.UTC) ? "Z" : offset.getId()));
    }

    private @Nullable DatumProblem found(String text) {
        byte[] usual = text.getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(usual, 0, begin(usual.length), 0, usual.length);
        end(usual.length);
        return null;
    }

    /** Whether a part of a time of day was parsed. */
    private static boolean hasTime(TemporalAccessor parsed) {
        for (ChronoField field : ChronoField.values()) {
            if (field.isTimeBased() && parsed.isSupported(field)) {
                return true;
            }
        }
        return false;
    }

    /**
     * The offset of a zone that the text names.
     *
     * @param offsets those of the zone's clocks at that time: one, or two in the hour that comes twice
     * @return null if zones of several offsets have the name
     */
    private static @Nullable ZoneOffset named(String text, ZoneId zone, LocalDateTime local, List<ZoneOffset> offsets) {
        boolean standard = hasName(text, zone, false);
        boolean daylight = hasName(text, zone, true);
        if (standard == daylight) {
            return hasWord(text, zone.getId()) ? offsets.get(0) : ZoneNames.only(text);
        }
        ZoneRules rules = zone.getRules();
        for (ZoneOffset each : offsets) {
            if (rules.isDaylightSavings(local.toInstant(each)) == daylight) {
                return each;
            }
        }
        // The clocks have the other time then.
        Instant moment = local.toInstant(offsets.get(0));
        ZoneOffset base = rules.getStandardOffset(moment);
        if (standard) {
            return base;
        }
        ZoneOffsetTransition next = rules.nextTransition(moment);
        return next != null && rules.isDaylightSavings(next.getInstant())
                ? next.getOffsetAfter()
                : ZoneOffset.ofTotalSeconds(base.getTotalSeconds() + SECONDS_PER_HOUR);
    }

    private static boolean hasName(String text, ZoneId zone, boolean daylight) {
        TimeZone names = TimeZone.getTimeZone(zone);
        return hasWord(text, names.getDisplayName(daylight, TimeZone.SHORT, Locale.ENGLISH))
                || hasWord(text, names.getDisplayName(daylight, TimeZone.LONG, Locale.ENGLISH));
    }

    /** Whether a text has a word, in any case, and not as part of a longer one. */
    private static boolean hasWord(String text, String word) {
        for (int at = 0; at + word.length() <= text.length(); at++) {
            int end = at + word.length();
            if (text.regionMatches(true, at, word, 0, word.length())
                    && (at == 0 || !Character.isLetter(text.charAt(at - 1)))
                    && (end == text.length() || !Character.isLetter(text.charAt(end)))) {
                return true;
            }
        }
        return false;
    }

    /** The offsets of all zones by the names of their times, for names that Java takes for a zone with other names. */
    private static final class ZoneNames {
        private static final Map<String, Set<ZoneOffset>> OFFSETS = new HashMap<>();

        static {
            for (String id : ZoneId.getAvailableZoneIds()) {
                TimeZone zone = TimeZone.getTimeZone(id);
                put(zone, false, zone.getRawOffset());
                put(zone, true, zone.getRawOffset() + zone.getDSTSavings());
            }
        }

        private static void put(TimeZone zone, boolean daylight, int offsetMillis) {
            String name = zone.getDisplayName(daylight, TimeZone.SHORT, Locale.ENGLISH);
            OFFSETS.computeIfAbsent(name, each -> new HashSet<>())
                    .add(ZoneOffset.ofTotalSeconds(offsetMillis / MILLIS_PER_SECOND));
        }

        /** The offset of all zones with a name in the text; null if they have several. */
        static @Nullable ZoneOffset only(String text) {
            Set<ZoneOffset> found = new HashSet<>();
            for (String word : text.toUpperCase(Locale.ROOT).split("[^A-Z]+", -1)) {
                found.addAll(OFFSETS.getOrDefault(word, Set.of()));
            }
            return found.size() == 1 ? found.iterator().next() : null;
        }
    }
}
