package io.sluice.cli.imports;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.cli.node.LocalNodes;
import io.sluice.cli.node.LocalNodes.ImportNode;
import io.sluice.cli.output.Console;
import io.sluice.importer.conflict.ConflictPolicy;
import io.sluice.importer.decode.CsvDialect;
import io.sluice.importer.decode.CsvDialect.Trait;
import io.sluice.importer.decode.RejectLimit;
import io.sluice.importer.decode.ValueFormat;
import io.sluice.importer.decode.json.JsonMembers;
import io.sluice.importer.job.ImportSettings.Mode;
import io.sluice.importer.job.ImportSettings.Verification;
import io.sluice.importer.options.CsvOptions;
import io.sluice.importer.source.Encoding.Compression;
import io.sluice.model.error.BadInputException;
import io.sluice.node.ingest.FaultPoints;
import io.sluice.service.spec.ImportSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Options of an import as a service reads them; the service's own reader says what it understood. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class ServerSpecTest {
    @TempDir
    Path directory;

    private Path schema;

    @BeforeEach
    void writeSchema() throws IOException {
        schema = Files.writeString(
                directory.resolve("t.sql"), "CREATE TABLE t (a INT8 PRIMARY KEY); CREATE TABLE u (b INT8);");
    }

    private ObjectNode json(String... arguments) {
        ImportCommand command = new ImportCommand(
                new LocalNodes(Console.ofProcess(), FaultPoints.none()) {
                    @Override
                    public ImportNode openForImport(Path store) {
                        throw new AssertionError("a store was opened");
                    }
                },
                Console.ofProcess());
        List<String> all = new ArrayList<>(List.of("--server", "http://h:1", "--schema", schema.toString()));
        all.addAll(List.of(arguments));
        CommandLine line = new CommandLine(command).setCaseInsensitiveEnumValuesAllowed(true);
        CommandLine.ParseResult parsed = line.parseArgs(all.toArray(new String[0]));
        return ServerSpec.of(command.options, parsed::hasMatchedOption);
    }

    @Test
    void addressesOfLocalFilesArePaths() {
        assertEquals(
                "/data/a b.csv", json("file:///data/a%20b.csv").at("/inputs/0").asText());
        assertEquals("s3://b/c.csv", json("s3://b/c.csv").at("/inputs/0").asText());
        BadInputException refused = assertThrows(BadInputException.class, () -> json("file://host/a.csv"));
        String problem = String.valueOf(refused.getMessage());
        assertTrue(problem.contains("not the address of a local file"), problem);
    }

    @Test
    void everyOptionArrives() {
        ImportSpec spec = ImportSpec.of(json(
                "--job-id",
                "j-1",
                "--table",
                "u",
                "--format",
                "csv",
                "--dialect",
                "mysql",
                "--delimiter",
                "tab",
                "--quote",
                "'",
                "--escape",
                "",
                "--comment",
                "#",
                "--nullif",
                "NULL",
                "--header",
                "--skip",
                "2",
                "--row-limit",
                "7",
                "--allow-quoted-null",
                "--nullif",
                "",
                "--short-rows",
                "null",
                "--long-rows",
                "ignore",
                "--decimal",
                ",",
                "--thousands",
                ".",
                "--date-format",
                "dd.MM.yyyy",
                "--date-format",
                "d=M/d/yy",
                "--time-format",
                "hh:mm a",
                "--timestamp-format",
                "HH:mm",
                "--strict-quotes",
                "--columns",
                "b,@x",
                "--charset",
                "ISO-8859-1",
                "--compression",
                "gzip",
                "--s3-endpoint",
                "https://s3.example",
                "--s3-region",
                "r",
                "--s3-path-style",
                "--mode",
                "two-pass",
                "--append",
                "--max-rejects",
                "1.5%",
                "--on-conflict",
                "last",
                "--verify",
                "full",
                "--max-rate",
                "2m",
                "--label",
                "a=b",
                "--label",
                "c=d=e",
                "s3://b/*.csv"));
        assertEquals("j-1", spec.jobId());
        assertEquals("u", spec.target().table().name());
        CsvDialect csv = spec.source().format().csv().dialect();
        assertEquals("\t", csv.delimiter());
        assertEquals('\'', csv.quote());
        assertEquals(null, csv.escape());
        assertEquals('#', csv.comment());
        assertEquals(
                new ValueFormat(
                        List.of("NULL", ""),
                        ',',
                        '.',
                        List.of("dd.MM.yyyy", "d=M/d/yy"),
                        List.of("hh:mm a"),
                        List.of("HH:mm")),
                csv.values());
        assertTrue(csv.records().header());
        assertEquals(2, csv.records().skip());
        assertEquals(7, csv.records().limit());
        assertTrue(csv.traits()
                .containsAll(List.of(Trait.QUOTED_NULL, Trait.STRICT_QUOTES, Trait.SHORT_ROWS, Trait.LONG_ROWS)));
        assertEquals(List.of("b", "@x"), spec.source().format().csv().columns());
        assertEquals("ISO-8859-1", spec.source().settings().encoding().charset().name());
        assertEquals(Compression.of("gzip"), spec.source().settings().encoding().compression());
        assertEquals(
                "https://s3.example",
                String.valueOf(spec.source().settings().s3().endpoint()));
        assertEquals(Mode.TWO_PASS, spec.mode());
        assertTrue(spec.append());
        assertEquals(RejectLimit.parse("1.5%"), spec.rules().maxRejects());
        assertEquals(ConflictPolicy.LAST, spec.rules().onConflict());
        assertEquals(Verification.FULL, spec.rules().verify());
        assertEquals(2 << 20, spec.bytesPerSecond());
        assertEquals(Map.of("a", "b", "c", "d=e"), spec.labels());
        assertEquals(List.of("s3://b/*.csv"), spec.source().inputs());
    }

    @Test
    void omittedOptionsHaveTheDefaultsOfALocalImport() {
        ImportSpec spec = ImportSpec.of(json("--table", "t", "x.csv"));
        assertEquals(null, spec.jobId());
        assertEquals(null, spec.mode());
        assertEquals(
                new CsvOptions().format().dialect(),
                spec.source().format().csv().dialect());
        assertEquals(RejectLimit.NONE, spec.rules().maxRejects());
        assertEquals(Verification.SUMS, spec.rules().verify());
        assertEquals(0, spec.bytesPerSecond());
    }

    @Test
    void theSchemaOfRecordsIsSentAsText() throws IOException {
        String text = "{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":\"a\",\"type\":\"long\"}]}";
        Path avro = Files.writeString(directory.resolve("r.avsc"), text);
        ImportSpec spec = ImportSpec.of(json(
                "--table",
                "t",
                "--format",
                "avro-json",
                "--avro-schema",
                avro.toString(),
                "--avro-strict",
                "--nanos",
                "round",
                "x"));
        assertEquals(text, spec.source().format().avroSchema());
        assertTrue(spec.source().format().avroStrict());
        assertTrue(spec.source().format().roundNanos());
    }

    @Test
    void membersOfJsonAreSent() {
        ImportSpec spec = ImportSpec.of(
                json("--table", "t", "--format", "json", "--json-path", "a=b.c", "--json-unknown", "reject", "x"));
        assertEquals("json", spec.source().format().type());
        assertEquals(
                new JsonMembers(List.of("a=b.c"), true, false),
                spec.source().format().json());
        ImportSpec usual = ImportSpec.of(json("--table", "t", "--format", "jsonl", "x"));
        assertEquals(JsonMembers.BY_NAME, usual.source().format().json());
    }

    @Test
    void optionsOfAnotherFormatAreRefused() {
        for (String format : List.of("avro", "parquet", "json", "jsonl")) {
            BadInputException e =
                    assertThrows(BadInputException.class, () -> json("--format", format, "--row-limit", "3", "x"));
            assertTrue(
                    String.valueOf(e.getMessage()).startsWith("--row-limit is given, but the input is "), e::toString);
        }
        assertThrows(BadInputException.class, () -> json("--format", "csv", "--nanos", "round", "x"));
    }

    @Test
    void inputsGetAbsolute() {
        String here = Path.of("").toAbsolutePath().toString();
        assertEquals(
                List.of(here + "/a.csv", here + "/b/*.csv", "/c", here + "/../d", "http://h/e?f"),
                ImportSpec.of(json("--table", "t", "a.csv", "./b/*.csv", "/c", "../d", "http://h/e?f"))
                        .source()
                        .inputs());
    }

    @Test
    void optionsThatAServiceLacksAreRefusedByName() {
        List<String> refused = List.of(
                "--store",
                "--nodes",
                "--replicas",
                "--give-up-after",
                "--memory",
                "--workers",
                "--tmp",
                "--rejects",
                "--seed");
        BadInputException e = assertThrows(
                BadInputException.class,
                () -> json(
                        "--store",
                        "s",
                        "--nodes",
                        "h:1",
                        "--replicas",
                        "1",
                        "--give-up-after",
                        "1",
                        "--memory",
                        "1g",
                        "--workers",
                        "1",
                        "--tmp",
                        "d",
                        "--rejects",
                        "d",
                        "--seed",
                        "1",
                        "--job-id",
                        "a/b",
                        "--mode",
                        "best",
                        "--on-conflict",
                        "newest",
                        "-"));
        List<String> lines = String.valueOf(e.getMessage()).lines().toList();
        assertEquals(refused.size() + 4, lines.size(), e.getMessage());
        for (int i = 0; i < refused.size(); i++) {
            assertTrue(lines.get(i).startsWith(refused.get(i) + " cannot be given with --server"), lines.get(i));
        }
    }
}
