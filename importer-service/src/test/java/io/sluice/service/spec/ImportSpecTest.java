package io.sluice.service.spec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.decode.json.JsonMembers;
import io.sluice.importer.source.InputFile;
import io.sluice.model.error.BadInputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The checks of a request: a table of members and their errors. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class ImportSpecTest {
    private static final JsonMapper JSON = new JsonMapper();

    @TempDir
    Path directory;

    /** A member replaces that of the valid request, or adds one; the right column has the fields with errors. */
    @ParameterizedTest(name = "{0} -> {1}")
    @CsvSource(delimiter = '|', quoteCharacter = '^', textBlock = """
            "jobId": "a.b_c-1"                        | ok
            "jobId": "-a"                             | invalid /jobId
            "jobId": "a/b"                            | invalid /jobId
            "jobId": 7                                | invalid /jobId
            "schema": ""                              | required /schema
            "schema": null                            | required /schema
            "schema": "CREATE TABLE"                  | invalid /schema
            "table": "t"                              | ok
            "table": "u"                              | invalid /table
            "inputs": []                              | invalid /inputs
            "inputs": null                            | invalid /inputs
            "inputs": "a.csv"                         | invalid /inputs, invalid /inputs
            "inputs": ["a.csv", ""]                   | invalid /inputs/1
            "mode": "two-pass"                        | ok
            "mode": "fast"                            | invalid /mode
            "append": true                            | ok
            "append": "true"                          | invalid /append
            "maxRejects": "10"                        | ok
            "maxRejects": "2%"                        | ok
            "maxRejects": "many"                      | invalid /maxRejects
            "maxRejects": 10                          | invalid /maxRejects
            "onConflict": "capture"                   | ok
            "onConflict": "ignore"                    | invalid /onConflict
            "verify": "full"                          | ok
            "verify": "none"                          | invalid /verify
            "bytesPerSecond": 0                       | ok
            "bytesPerSecond": -1                      | invalid /bytesPerSecond
            "bytesPerSecond": 1.5                     | invalid /bytesPerSecond
            "bytesPerSecond": 99999999999999999999    | invalid /bytesPerSecond
            "labels": {"team": "x"}                   | ok
            "labels": {"team": 1}                     | invalid /labels/team
            "labels": {"a/b": 1}                      | invalid /labels/a~1b
            "labels": []                              | invalid /labels
            "compression": "zstd"                     | ok
            "compression": "zip"                      | invalid /compression
            "charset": "ISO-8859-1"                   | ok
            "charset": "no such"                      | invalid /charset
            "s3": {"region": "eu-west-1"}             | ok
            "s3": {"region": "eu.west"}               | invalid /s3/region
            "s3": {"endpoint": "https://host:1"}      | ok
            "s3": {"endpoint": "https://u:p@host"}    | invalid /s3/endpoint
            "s3": {"endpoint": "host"}                | invalid /s3/endpoint
            "s3": {"endpoint": "//host:9000"}         | invalid /s3/endpoint
            "s3": {"endpoint": "ftp://host"}          | invalid /s3/endpoint
            "setId": "01234567-89ab-cdef-0123-456789abcdef" | unknown /setId
            "s3": {"key": "x"}                        | unknown /s3/key
            "format": {"type": "avro-json"}           | invalid /format/avroSchema
            "format": {"type": "xml"}                 | invalid /format/type
            "format": {"delimiter": ""}               | invalid /format/delimiter
            "format": {"delimiter": "::"}             | ok
            "format": {"delimiter": ":::::::::"}      | invalid /format/delimiter
            "format": {"nullif": ["", "NULL"]}        | ok
            "format": {"nullif": [1]}                 | invalid /format/nullif/0
            "format": {"decimal": ",,"}               | invalid /format/decimal
            "format": {"decimal": "1"}                | invalid /format/dialect
            "format": {"dateFormat": ["dd.b"]}        | invalid /format/dialect
            "format": {"shortRows": "ignore"}         | invalid /format/shortRows
            "format": {"longRows": "ignore"}          | ok
            "format": {"delimiter": "\\""}            | invalid /format/dialect
            "format": {"quote": ""}                   | ok
            "format": {"columns": ["id"]}             | ok
            "format": {"type": "avro", "skip": 3}     | invalid /format/type
            "format": {"type": "parquet", "header": true} | invalid /format/type
            "format": {"type": "jsonl", "nullif": "NA"} | invalid /format/type
            "format": {"type": "jsonl", "nanos": "round"} | invalid /format/type
            "format": {"type": "csv", "avroStrict": true} | invalid /format/type
            "format": {"type": "csv", "jsonUnknown": "reject"} | invalid /format/type
            "format": {"type": "parquet", "nanos": "round", "avroStrict": true, "skip": 0} | ok
            "format": {"type": "avro", "dialect": "default", "delimiter": ",", "header": false} | ok
            "format": {"type": "json", "jsonPaths": ["id=a"]} | ok
            "format": []                              | invalid /format
            "jobid": "a"                              | unknown /jobid
            "a~b": 1                                  | unknown /a~0b
            "jobId": "-", "verify": "no", "x": 1      | invalid /jobId, invalid /verify, unknown /x
            """)
    void eachMemberIsChecked(String members, String expected) throws JsonProcessingException {
        assertEquals(expected, errors(request(members)));
    }

    private static String request(String members) {
        return "{\"schema\": \"CREATE TABLE t (id INT PRIMARY KEY)\", \"inputs\": [\"/in/a.csv\"], " + members + "}";
    }

    /** Parses a request; a repeated member has its last value. */
    private static String errors(String json) throws JsonProcessingException {
        try {
            ImportSpec.of(JSON.readTree(json));
            return "ok";
        } catch (InvalidSpecException e) {
            return e.errors().stream()
                    .map(error -> error.code() + " " + error.field())
                    .collect(Collectors.joining(", "));
        }
    }

    @Test
    void bodyIsAnObject() throws JsonProcessingException {
        assertEquals("invalid ", errors("[]"));
        assertEquals("invalid ", errors("\"a\""));
    }

    @Test
    void missingMembersHaveTheirDefaults() throws JsonProcessingException {
        ImportSpec spec = ImportSpec.of(JSON.readTree(request("\"labels\": {}")));
        assertNull(spec.jobId());
        assertNull(spec.mode());
        assertFalse(spec.append());
        assertEquals(List.of("/in/a.csv"), spec.source().inputs());
        assertEquals(0, spec.bytesPerSecond());
        assertEquals(Map.of(), spec.labels());
    }

    @Test
    void membersOfAnotherFormatThanTheDetectedOneAreRefused() throws IOException {
        Path file = Files.writeString(directory.resolve("in.jsonl"), "{\"id\": 1}\n");
        List<InputFile> inputs = List.of(new InputFile(0, "in.jsonl", file, Files.size(file)));
        FormatSpec skips = ImportSpec.of(JSON.readTree(request("\"format\": {\"skip\": 3}")))
                .source()
                .format();
        BadInputException e = assertThrows(BadInputException.class, () -> skips.of(inputs));
        assertEquals(
                "format is jsonl, but members of CSV, such as columns, header, skip or nullif, are given: leave them"
                        + " out, or set type",
                e.getMessage());
        FormatSpec usual =
                ImportSpec.of(JSON.readTree(request("\"labels\": {}"))).source().format();
        assertEquals(new InputFormat.Json(false, JsonMembers.BY_NAME), usual.of(inputs));
    }

    @Test
    void credentialsOfInputsAreNotShown() throws JsonProcessingException {
        String shown = ImportSpec.redacted(JSON.readTree(
                        request("\"inputs\": [\"https://me:secret@host/a.csv?signature=secret\", \"/in/a.csv\"]")))
                .toString();
        assertFalse(shown.contains("secret"), shown);
        assertEquals(true, shown.contains("/in/a.csv"), shown);
    }
}
