package io.sluice.service.spec;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.api.wire.FieldError;
import io.sluice.importer.conflict.ConflictPolicy;
import io.sluice.importer.decode.RejectLimit;
import io.sluice.importer.job.ImportSettings.Mode;
import io.sluice.importer.job.ImportSettings.Verification;
import io.sluice.importer.source.Encoding;
import io.sluice.importer.source.SourceSettings;
import io.sluice.importer.source.remote.RemoteInputs;
import io.sluice.importer.source.remote.S3Settings;
import io.sluice.model.error.BadInputException;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.TableDef;
import java.net.URI;
import java.nio.charset.Charset;
import java.nio.charset.IllegalCharsetNameException;
import java.nio.charset.StandardCharsets;
import java.nio.charset.UnsupportedCharsetException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A client's import request, validated as far as possible without opening anything.
 *
 * @param jobId the client's id for the job, or null
 * @param target the table to import
 * @param source the inputs, and how to read them
 * @param mode import mode; null: the service chooses it
 * @param append whether to add rows to an existing table
 * @param rules what happens with bad rows and conflicts, and how the import is checked
 * @param bytesPerSecond maximum input bytes per second; 0: no limit
 * @param labels labels of the client
 */
public record ImportSpec(
        @Nullable String jobId,
        Target target,
        Source source,
        @Nullable Mode mode,
        boolean append,
        Rules rules,
        long bytesPerSecond,
        Map<String, String> labels) {
    /**
     * The table to import.
     *
     * @param schema the DDL
     * @param tables tables of the DDL
     * @param table the table to import
     */
    public record Target(String schema, List<TableDef> tables, TableDef table) {
        public Target {
            tables = List.copyOf(tables);
        }
    }

    /** The kind of a job's source; also the member of a request that names it. */
    public enum Origin {
        /** Files of rows. */
        INPUTS,
        /** A reject bundle, whose repaired rows are added to their table. */
        BUNDLE,
        /** A staged set. */
        SET;

        /** The member of a request. */
        public String member() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** The origin that a request names; inputs if it names none. */
        public static Origin of(JsonNode spec) {
            return spec.hasNonNull(SET.member()) ? SET : spec.hasNonNull(BUNDLE.member()) ? BUNDLE : INPUTS;
        }
    }

    /**
     * The inputs of an import.
     *
     * @param origin kind of the source
     * @param inputs files, directories, globs, addresses; or the place of the bundle or set alone
     * @param format format of the inputs
     * @param settings settings for finding and reading the inputs
     * @param setId id of the staged set, or null
     */
    public record Source(
            Origin origin,
            List<String> inputs,
            FormatSpec format,
            SourceSettings settings,
            @Nullable UUID setId) {
        public Source {
            inputs = List.copyOf(inputs);
        }
    }

    /**
     * The rules of an import.
     *
     * @param maxRejects maximum number of rejects
     * @param onConflict resolution of rows with the same key
     * @param verify extent of the read-back
     */
    public record Rules(RejectLimit maxRejects, ConflictPolicy onConflict, Verification verify) {}

    /** Form of job ids, which are also directory names and path segments. */
    public static final Pattern ID = Pattern.compile("^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$");

    /** Form of S3 regions, which become a part of a host name. */
    private static final Pattern REGION = Pattern.compile("^[a-z0-9-]{1,63}$");

    private static final Pattern UUID_FORM = Pattern.compile("^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$");

    private static final String AUTO = "auto";
    private static final String SCHEMA = "schema";
    private static final String INPUTS = "inputs";
    private static final int SCHEMA_CHARS = 256 << 10;
    private static final int MOST_INPUTS = 10_000;
    private static final int INPUT_CHARS = 4096;
    private static final int NAME_CHARS = 256;
    private static final int MOST_LABELS = 32;
    private static final int LABEL_CHARS = 128;

    public ImportSpec {
        labels = Map.copyOf(labels);
    }

    /**
     * Parses the body of a request.
     *
     * @throws InvalidSpecException if the body is invalid, with all errors
     */
    public static ImportSpec of(JsonNode json) {
        List<FieldError> errors = new ArrayList<>();
        if (!json.isObject()) {
            throw new InvalidSpecException(List.of(FieldError.of("", "invalid", "the body must be a JSON object")));
        }
        Members members = new Members(json, errors);
        String id = members.text("jobId", 64, ID);
        String schema = members.required(SCHEMA, SCHEMA_CHARS);
        String tableName = members.text("table", NAME_CHARS, null);
        List<TableDef> tables = schema.isEmpty() ? List.of() : tables(schema, members);
        TableDef table =
                tables.isEmpty() ? null : checked(members, "table", () -> Ddl.select(tables, tableName, SCHEMA));
        Origin origin = Origin.of(json);
        // Those of the other origins may be null.
        Stream.of(Origin.values()).map(Origin::member).forEach(members::expect);
        List<String> inputs = inputs(members, origin);
        // The service adds it to a request for a set. For other imports it would name those of other jobs.
        String setId = origin == Origin.SET ? members.text("setId", 36, UUID_FORM) : null;
        FormatSpec format = FormatSpec.of(members.object("format"));
        SourceSettings source = source(members);
        String mode = members.word("mode", List.of(AUTO, "merge", "direct", "two-pass"));
        Boolean append = members.flag("append");
        String most = members.text("maxRejects", 20, null);
        RejectLimit limit =
                most == null ? RejectLimit.NONE : checked(members, "maxRejects", () -> RejectLimit.parse(most));
        String conflict = members.word("onConflict", List.of("error", "first", "last", "capture"));
        String verify = members.word("verify", List.of("sums", "full"));
        Long rate = members.count("bytesPerSecond");
        Map<String, String> labels = members.map("labels", MOST_LABELS, LABEL_CHARS);
        members.noOthers();
        if (!errors.isEmpty() || table == null || inputs == null || source == null || limit == null) {
            throw new InvalidSpecException(errors);
        }
        return new ImportSpec(
                id,
                new Target(schema, tables, table),
                new Source(origin, inputs, format, source, setId == null ? null : UUID.fromString(setId)),
                mode.equals(AUTO) ? null : Mode.valueOf(constant(mode)),
                append != null && append,
                new Rules(limit, ConflictPolicy.valueOf(constant(conflict)), Verification.valueOf(constant(verify))),
                rate == null ? 0 : rate,
                labels);
    }

    /** Requires one of the origins, without the members that describe inputs of another. */
    private static @Nullable List<String> inputs(Members members, Origin origin) {
        if (origin == Origin.INPUTS) {
            List<String> inputs = members.texts(INPUTS, MOST_INPUTS, INPUT_CHARS);
            if (inputs == null || inputs.isEmpty()) {
                members.wrong(INPUTS, "must name at least one file, directory, glob, or address");
            }
            return inputs;
        }
        for (String other : List.of(INPUTS, "format", "mode", "charset", "compression")) {
            if (members.has(other)) {
                members.wrong(other, "cannot be given with " + origin.member() + ", which says it");
            }
        }
        if (origin == Origin.SET) {
            for (String other : List.of(Origin.BUNDLE.member(), "maxRejects", "bytesPerSecond")) {
                if (members.has(other)) {
                    members.wrong(other, "cannot be given with set");
                }
            }
            if (members.has("onConflict") && !Boolean.TRUE.equals(members.flag("append"))) {
                members.wrong("onConflict", "needs append: a new table has no rows to be in conflict with");
            }
        }
        String place = members.required(origin.member(), INPUT_CHARS);
        return List.of(place);
    }

    private static String constant(String label) {
        return label.toUpperCase(Locale.ROOT).replace('-', '_');
    }

    private static List<TableDef> tables(String schema, Members members) {
        List<TableDef> tables = checked(members, SCHEMA, () -> Ddl.parse(schema, SCHEMA));
        return tables == null ? List.of() : tables;
    }

    /**
     * The place of the bundle or set that a request names.
     *
     * @param origin bundle or set
     * @throws InvalidSpecException if it is empty, or no text
     */
    public static String place(JsonNode json, Origin origin) {
        List<FieldError> errors = new ArrayList<>();
        String place = new Members(json, errors).required(origin.member(), INPUT_CHARS);
        if (!errors.isEmpty()) {
            throw new InvalidSpecException(errors);
        }
        return place;
    }

    /**
     * The settings for finding and reading what a request names.
     *
     * @throws InvalidSpecException if they are invalid
     */
    public static SourceSettings settings(JsonNode json) {
        List<FieldError> errors = new ArrayList<>();
        SourceSettings settings = source(new Members(json, errors));
        if (settings == null || !errors.isEmpty()) {
            throw new InvalidSpecException(errors);
        }
        return settings;
    }

    private static @Nullable SourceSettings source(Members members) {
        List<String> compressions = new ArrayList<>(List.of(AUTO, "none"));
        compressions.addAll(List.of("gzip", "zstd", "bzip2", "xz", "snappy", "lz4"));
        String compression = members.word("compression", compressions);
        Charset charset = StandardCharsets.UTF_8;
        String name = members.text("charset", 64, null);
        try {
            charset = name == null ? charset : Charset.forName(name);
        } catch (IllegalCharsetNameException | UnsupportedCharsetException e) {
            members.wrong("charset", "is no charset that this service knows");
        }
        Members s3 = members.object("s3");
        String endpoint = s3.text("endpoint", 1024, null);
        String region = s3.text("region", 64, REGION);
        Boolean pathStyle = s3.flag("pathStyle");
        s3.noOthers();
        URI address = null;
        try {
            address = endpoint == null ? null : URI.create(endpoint);
            if (address != null
                    && (!RemoteInputs.isRemote(address.toString())
                            || address.getHost() == null
                            || address.getUserInfo() != null)) {
                s3.wrong("endpoint", "must have the form https://HOST:PORT, without credentials");
            }
        } catch (IllegalArgumentException e) {
            s3.wrong("endpoint", "must have the form https://HOST:PORT, without credentials");
        }
        return new SourceSettings(
                new Encoding(Encoding.Compression.of(compression), charset),
                new S3Settings(address, region, pathStyle != null && pathStyle));
    }

    /** Runs a parser; records its error and returns null if it fails. */
    private static <T> @Nullable T checked(Members members, String name, Supplier<T> reading) {
        try {
            return reading.get();
        } catch (BadInputException e) {
            members.wrong(name, "is refused: " + e.getMessage());
            return null;
        }
    }

    /** Returns a copy of a request for display: addresses without user names, passwords and signatures. */
    public static JsonNode redacted(JsonNode spec) {
        if (!(spec instanceof ObjectNode)) {
            return spec;
        }
        ObjectNode shown = spec.deepCopy();
        for (Origin origin : List.of(Origin.BUNDLE, Origin.SET)) {
            if (shown.hasNonNull(origin.member())) {
                shown.put(
                        origin.member(),
                        RemoteInputs.shown(shown.path(origin.member()).asText()));
            }
        }
        if (shown.get(INPUTS) instanceof ArrayNode inputs) {
            for (int i = 0; i < inputs.size(); i++) {
                inputs.set(i, RemoteInputs.shown(inputs.get(i).asText()));
            }
        }
        return shown;
    }
}
