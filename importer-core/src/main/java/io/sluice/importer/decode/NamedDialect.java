package io.sluice.importer.decode;

import io.sluice.importer.decode.CsvDialect.Records;
import io.sluice.importer.decode.CsvDialect.Trait;
import io.sluice.model.error.BadInputException;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVFormat.Predefined;

/**
 * The named dialects, with the values of commons-csv. The escapes of {@code mysql} and {@code postgresql-text}, and
 * those inside quotes of {@code postgresql-csv}, are the ones of these systems. Two rules differ in all dialects. Text
 * after a closing quote and an unclosed quote are rejects; {@code excel} would take them as text. Where a dialect has
 * no text for NULL, an empty field without quotes is NULL.
 */
public enum NamedDialect {
    DEFAULT(Predefined.Default),
    RFC4180(Predefined.RFC4180),
    EXCEL(Predefined.Excel),
    TDF(Predefined.TDF),
    MYSQL(Predefined.MySQL),
    POSTGRESQL_CSV(Predefined.PostgreSQLCsv),
    POSTGRESQL_TEXT(Predefined.PostgreSQLText),
    INFORMIX(Predefined.InformixUnload),
    INFORMIX_CSV(Predefined.InformixUnloadCsv),
    MONGODB_CSV(Predefined.MongoDBCsv),
    MONGODB_TSV(Predefined.MongoDBTsv),
    ORACLE(Predefined.Oracle);

    private final Predefined predefined;

    NamedDialect(Predefined predefined) {
        this.predefined = predefined;
    }

    /**
     * The dialect of that name.
     *
     * @throws BadInputException listing all names
     */
    public static NamedDialect of(String name) {
        for (NamedDialect dialect : values()) {
            if (dialect.label().equals(name.toLowerCase(Locale.ROOT))) {
                return dialect;
            }
        }
        throw new BadInputException("--dialect " + name + ": must be one of "
                + Stream.of(values()).map(NamedDialect::label).collect(Collectors.joining(", ")));
    }

    /** The name in options. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The dialect, without a header. */
    public CsvDialect dialect() {
        CSVFormat format = format();
        Set<Trait> traits = EnumSet.noneOf(Trait.class);
        // The default dialect skips empty lines, like that of commons-csv; RFC 4180 does not mention them.
        if (!format.getIgnoreEmptyLines()) {
            traits.add(Trait.EMPTY_LINES);
        }
        if (format.getIgnoreSurroundingSpaces()) {
            traits.add(Trait.SURROUNDING_SPACES);
        }
        if (format.getTrim()) {
            traits.add(Trait.TRIM);
        }
        switch (this) {
            case MYSQL -> traits.add(Trait.MYSQL_ESCAPES);
            case POSTGRESQL_TEXT -> traits.addAll(EnumSet.of(Trait.COPY_ESCAPES, Trait.END_MARK));
            case POSTGRESQL_CSV -> traits.add(Trait.QUOTED_ESCAPE);
            default -> {}
        }
        String nullString = format.getNullString();
        return new CsvDialect(
                format.getDelimiterString(),
                format.getQuoteCharacter(),
                format.getEscapeCharacter(),
                format.getCommentMarker(),
                nullString == null ? ValueFormat.DEFAULT : ValueFormat.ofNull(nullString),
                traits,
                Records.ALL);
    }

    /** The format of commons-csv. */
    CSVFormat format() {
        return predefined.getFormat();
    }
}
