package io.sluice.spark;

import io.sluice.importer.conflict.ConflictPolicy;
import io.sluice.importer.job.staged.SetPlace;
import io.sluice.importer.job.staged.StagedSet;
import io.sluice.importer.options.SchemaFile;
import io.sluice.importer.source.remote.S3Settings;
import io.sluice.model.error.BadInputException;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.TableDef;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SQLContext;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.sources.BaseRelation;
import org.apache.spark.sql.sources.CreatableRelationProvider;
import org.apache.spark.sql.sources.DataSourceRegister;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The data source {@code sluice}: {@code df.write().format("sluice").option("schema", …).option("output", DIR).save()}.
 *
 * <p>Options:
 *
 * <ul>
 *   <li>{@code schema}: a file with DDL that the driver can read, or the DDL itself
 *   <li>{@code table}: the table; needed if the DDL declares several
 *   <li>{@code output}: place of the staged set: {@code s3://BUCKET/PREFIX}, or a directory that the driver and all
 *       executors share
 *   <li>{@code s3-endpoint}, {@code s3-region}, {@code s3-path-style}: the object store, if it is not AWS
 *   <li>{@code on-conflict}: policy for rows with equal keys: {@code error}, {@code first} or {@code last}
 *   <li>{@code partitions}: number of tasks that write SSTs; by default one for each 128 MiB of KVs
 *   <li>{@code nodes}: storage nodes that the finished set is handed over to; with {@code replicas}, {@code token-file}
 *       and {@code tls-trust}, as for {@code sluice ingest}
 * </ul>
 */
public final class StagedSetSource implements CreatableRelationProvider, DataSourceRegister {
    private static final Logger LOG = LoggerFactory.getLogger(StagedSetSource.class);
    private static final int MOST_REPLICAS = 100;
    private static final List<String> OF_NODES = List.of("replicas", "token-file", "tls-trust");
    private static final Set<String> OPTIONS = new TreeSet<>(Set.of(
            "schema",
            "table",
            "output",
            "partitions",
            "on-conflict",
            "s3-endpoint",
            "s3-region",
            "s3-path-style",
            "nodes",
            "replicas",
            "token-file",
            "tls-trust"));

    @Override
    public String shortName() {
        return "sluice";
    }

    /**
     * Builds the set.
     *
     * @throws BadInputException if an option is wrong, the DataFrame does not fit the table, or rows are bad or
     *     conflict
     */
    @Override
    public BaseRelation createRelation(
            SQLContext context,
            SaveMode mode,
            scala.collection.immutable.Map<String, String> given,
            Dataset<Row> data) {
        Map<String, String> options = new HashMap<>();
        CollectionConverters.asJava(given).forEach((name, value) -> options.put(name.toLowerCase(Locale.ROOT), value));
        List<String> problems = new ArrayList<>();
        HandOver nodes = handOver(options, problems);
        StagedWrite write = parse(options, mode, problems);
        if (mode != SaveMode.Ignore || !write.isComplete()) {
            if (nodes != null) {
                nodes.check(write.table());
            }
            write.run(data).skew().forEach(LOG::warn);
        }
        StagedSet set = write.set();
        if (nodes != null) {
            LOG.info(nodes.ingest(set));
        }
        return new Written(context, data.schema());
    }

    /**
     * The write that the options describe.
     *
     * @throws BadInputException naming all problems, also those found before
     */
    private static StagedWrite parse(Map<String, String> options, SaveMode mode, List<String> problems) {
        Set<String> unknown = new TreeSet<>(options.keySet());
        unknown.removeAll(OPTIONS);
        if (!unknown.isEmpty()) {
            problems.add("unknown options " + unknown + ": there are " + String.join(", ", OPTIONS));
        }
        for (String name : List.of("schema", "output")) {
            if (options.getOrDefault(name, "").isBlank()) {
                problems.add("option " + name + " is missing");
            }
        }
        if (mode == SaveMode.Append || mode == SaveMode.Overwrite) {
            problems.add("mode " + mode.name().toLowerCase(Locale.ROOT)
                    + ": a staged set is never changed; name a new place, with mode errorifexists or ignore");
        }
        // Hadoop's name of the same store, and its names of directories.
        String output =
                options.getOrDefault("output", "").replaceFirst("^s3a:", "s3:").replaceFirst("^file:(//)?", "");
        if (output.matches("[A-Za-z][A-Za-z0-9+.-]*:.*") && !output.startsWith("s3://")) {
            problems.add("option output '" + output + "': name a directory that the driver and all executors share, or"
                    + " s3://BUCKET/PREFIX");
        }
        S3Settings s3 = s3(options, problems);
        ConflictPolicy policy = policy(options, problems);
        Integer partitions = number(options, "partitions", StagedWrite.MOST_PARTITIONS, problems);
        if (!problems.isEmpty()) {
            throw new BadInputException(String.join("\n", problems));
        }
        String schema = options.getOrDefault("schema", "");
        boolean text = schema.matches("(?is).*\\bcreate\\s.*\\btable\\s.*");
        String ddl = text ? schema : SchemaFile.text(Path.of(schema), "option schema '" + schema + "'");
        String where = text ? "option schema" : schema;
        Ddl.Schema declared = Ddl.read(ddl, where);
        TableDef table = Ddl.select(declared.tables(), options.get("table"), where);
        declared.remarks(table.name()).forEach(remark -> LOG.warn("{}: {}", where, remark));
        return new StagedWrite(
                ddl, declared.tables(), table, SetPlace.of(output, s3), partitions == null ? 0 : partitions, policy);
    }

    private static @Nullable HandOver handOver(Map<String, String> options, List<String> problems) {
        String nodes = options.getOrDefault("nodes", "");
        Integer replicas = number(options, "replicas", MOST_REPLICAS, problems);
        if (nodes.isBlank()) {
            OF_NODES.stream()
                    .filter(options::containsKey)
                    .forEach(name -> problems.add("option " + name + " needs option nodes"));
            return null;
        }
        try {
            return HandOver.to(
                    nodes,
                    replicas,
                    path(options.get("token-file")),
                    path(options.get("tls-trust")),
                    "write again with mode ignore");
        } catch (BadInputException e) {
            problems.add("option nodes: " + e.getMessage());
            return null;
        }
    }

    private static ConflictPolicy policy(Map<String, String> options, List<String> problems) {
        String name = options.getOrDefault("on-conflict", ConflictPolicy.ERROR.label());
        try {
            ConflictPolicy policy = ConflictPolicy.of(name, "option on-conflict '" + name + "'");
            if (policy != ConflictPolicy.CAPTURE) {
                return policy;
            }
            problems.add(
                    "option on-conflict 'capture': rows of a DataFrame have no records to keep; choose error, first"
                            + " or last, or submit the files with sluice-submit");
        } catch (BadInputException e) {
            problems.add(String.valueOf(e.getMessage()));
        }
        return ConflictPolicy.ERROR;
    }

    private static @Nullable Path path(@Nullable String name) {
        return name == null ? null : Path.of(name);
    }

    /** A number of an option; null if there is none, or it is not from 1 to {@code most}. */
    private static @Nullable Integer number(Map<String, String> options, String name, int most, List<String> problems) {
        String text = options.get(name);
        if (text == null) {
            return null;
        }
        try {
            int number = Integer.parseInt(text);
            if (number >= 1 && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Named below.
        }
        problems.add("option " + name + " '" + text + "': must be a whole number from 1 to " + most);
        return null;
    }

    private static S3Settings s3(Map<String, String> options, List<String> problems) {
        String endpoint = options.get("s3-endpoint");
        URI uri = null;
        try {
            uri = endpoint == null ? null : new URI(endpoint);
        } catch (URISyntaxException e) {
            // Found below.
        }
        if (endpoint != null && (uri == null || uri.getHost() == null || uri.getUserInfo() != null)) {
            problems.add("option s3-endpoint: give an address of the form https://HOST:PORT, without credentials");
        }
        String pathStyle = options.getOrDefault("s3-path-style", "false");
        if (!pathStyle.matches("(?i)true|false")) {
            problems.add("option s3-path-style '" + pathStyle + "': must be true or false");
        }
        return new S3Settings(uri, options.get("s3-region"), Boolean.parseBoolean(pathStyle));
    }

    /** The relation that Spark wants of a write; it is never read. */
    private static final class Written extends BaseRelation {
        private final SQLContext context;
        private final StructType schema;

        Written(SQLContext context, StructType schema) {
            this.context = context;
            this.schema = schema;
        }

        @Override
        public SQLContext sqlContext() {
            return context;
        }

        @Override
        public StructType schema() {
            return schema;
        }
    }
}
