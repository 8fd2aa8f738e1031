package io.sluice.importer.decode;

import io.sluice.model.schema.TypeKind;
import io.sluice.model.text.DatumProblem;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.LocalDate;
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
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Converts dates and times that are written by a pattern. Names of months and days are English, in any case. A day that
 * does not exist is refused. A timestamp without a time is at midnight; one with a zone has that zone's offset, unless
 * it has an offset, too. A time that the zone's clocks skip is refused.
 */
final class PatternConverter extends ValueConverter {
    private static final DatumProblem SKIPPED = new DatumProblem(
            DatumProblem.Code.OUT_OF_RANGE, "is a time that does not exist: the clocks of its zone skip it");

    private final DateTimeFormatter formatter;
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
        mismatch = new DatumProblem(DatumProblem.Code.SYNTAX, kind + " must have the form " + pattern);
    }

    @Override
    public @Nullable DatumProblem convert(byte[] buffer, int from, int to) {
        String text = new String(buffer, from, to - from, StandardCharsets.UTF_8).strip();
        try {
            String found = usual(formatter.parse(text));
            if (found == null) {
                return SKIPPED;
            }
            byte[] usual = found.getBytes(StandardCharsets.US_ASCII);
            System.arraycopy(usual, 0, begin(usual.length), 0, usual.length);
            end(usual.length);
            return null;
        } catch (DateTimeException e) {
            return mismatch;
        }
    }

    /** The usual form of a value; null for a time that the clocks of its zone skip. */
    private @Nullable String usual(TemporalAccessor parsed) {
        if (kind == TypeKind.DATE) {
            return LocalDate.from(parsed).toString();
        }
        if (kind == TypeKind.TIME) {
            return DateTimeFormatter.ISO_LOCAL_TIME.format(LocalTime.from(parsed));
        }
        LocalDate date = LocalDate.from(parsed);
        LocalTime found = parsed.query(TemporalQueries.localTime());
        LocalTime time = found == null ? LocalTime.MIDNIGHT : found;
        ZoneId zone = parsed.query(TemporalQueries.zone());
        String moment = date + " " + DateTimeFormatter.ISO_LOCAL_TIME.format(time);
        if (zone == null) {
            return moment;
        }
        // The offset tells which of two times is meant in the hour that comes twice.
        ZoneOffset offset = parsed.query(TemporalQueries.offset());
        if (offset == null) {
            List<ZoneOffset> offsets = zone.getRules().getValidOffsets(date.atTime(time));
            if (offsets.isEmpty()) {
                return null;
            }
            offset = offsets.get(0);
        }
        return moment + (offset.equals(ZoneOffset.UTC) ? "Z" : offset.getId());
    }
}
