package io.sluice.importer.decode.avro;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.error.BadInputException;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.decode.input.InputFormat.Avro.Encoding;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which fields fill which columns, and with which values. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class AvroColumnsTest {
    @TempDir
    Path directory;

    private AvroRun read(String fields, String columns, AvroBytes data, InputFormat format) throws IOException {
        Path file = directory.resolve("columns.avro");
        String schema = "{'type':'record','name':'r','fields':[" + fields + "]}";
        Files.write(
                file, AvroBytes.header(schema, "null").block(1, data.toArray()).toArray());
        return AvroRun.of(file, format, AvroRun.table(columns), 1 << 16);
    }

    private AvroRun readOne(String type, String column, AvroBytes data) throws IOException {
        return read("{'name':'c','type':" + type + "}", "c " + column, data, InputFormat.Avro.containers(false));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "'int';INT2;32767;32767",
                "'int';INT2;32768;out_of_range",
                "'long';INT4;-2147483649;out_of_range",
                "'int';INT4;2147483648;malformed",
                "'long';FLOAT8;9007199254740992;9.007199254740992e+15",
                "'long';FLOAT8;9007199254740993;out_of_range",
                "'long';FLOAT8;9223372036854775807;out_of_range",
                "'long';FLOAT4;16777217;out_of_range",
                "'long';DECIMAL(5,2);999;999.00",
                "'long';DECIMAL(5,2);1000;out_of_range",
                "'long';DECIMAL(25,5);-9223372036854775808;-9223372036854775808.00000",
                "{'type':'int','logicalType':'date'};DATE;-2440588;4714-11-24 BC",
                "{'type':'int','logicalType':'date'};DATE;-2440589;out_of_range",
                "{'type':'int','logicalType':'date'};DATE;2145042906;out_of_range",
                "{'type':'int','logicalType':'time-millis'};TIME;86400000;24:00:00",
                "{'type':'int','logicalType':'time-millis'};TIME;86400001;out_of_range",
                "{'type':'long','logicalType':'time-micros'};TIME;-1;out_of_range",
                "{'type':'long','logicalType':'time-micros'};TIME(3);1500;00:00:00.002",
                "{'type':'long','logicalType':'timestamp-micros'};TIMESTAMP(0);-500000;1970-01-01 00:00:00",
                "{'type':'long','logicalType':'timestamp-micros'};TIMESTAMP(0);-500001;1969-12-31 23:59:59",
                "{'type':'long','logicalType':'timestamp-millis'};TIMESTAMP;9223372036854775807;out_of_range",
                "{'type':'long','logicalType':'timestamp-nanos'};TIMESTAMP;999999999;1970-01-01 00:00:01",
                "{'type':'enum','name':'e','symbols':['A','LONG']};STRING(3);0;A",
                "{'type':'enum','name':'e','symbols':['A','LONG']};STRING(3);1;too_long",
                "{'type':'enum','name':'e','symbols':['A','LONG']};STRING(3);2;malformed",
            })
    void numbers(String type, String column, long value, String expected) throws IOException {
        AvroRun run = readOne(type, column, new AvroBytes().number(value));
        String found =
                run.rows().isEmpty() ? run.rejects().get(0).code() : run.rows().get(0);
        assertEquals(expected, found, run.log());
    }

    @ParameterizedTest
    @CsvSource({
        "STRING(2),abc,too_long",
        "INT8,12x,syntax",
        "INT8,12,12",
        "UUID,00000000-0000-0000-0000-00000000000a,00000000-0000-0000-0000-00000000000a",
        "DATE,2020-02-30,out_of_range",
        "BYTES,\\x0a0b,\\x0a0b"
    })
    void stringsAreReadAsText(String column, String value, String expected) throws IOException {
        AvroRun run = readOne("'string'", column, new AvroBytes().string(value));
        assertEquals(
                expected,
                run.rows().isEmpty() ? run.rejects().get(0).code() : run.rows().get(0));
    }

    @ParameterizedTest
    @CsvSource({
        "2,3,'DECIMAL(6,2)',-0.01", // -5 thousandths, rounded half away from zero
        "2,2,DECIMAL,-0.05",
        "30,25,'DECIMAL(6,2)',0.00",
        "5,0,'DECIMAL(2,2)',out_of_range",
        "2,0,'DECIMAL(30,20)',-5.00000000000000000000"
    })
    void decimalsAreBroughtToTheColumnsScale(int precision, int scale, String column, String expected)
            throws IOException {
        String type = "{'type':'bytes','logicalType':'decimal','precision':" + Math.max(precision, scale) + ",'scale':"
                + scale + "}";
        AvroRun run = readOne(type, column, new AvroBytes().number(1).raw(new byte[] {-5}));
        assertEquals(
                expected,
                run.rows().isEmpty() ? run.rejects().get(0).code() : run.rows().get(0));
    }

    @Test
    void aRejectShowsTheRecordAsJson() throws IOException {
        AvroRun run = read(
                "{'name':'id','type':'int'},{'name':'c','type':['string','null']}",
                "id INT8, c STRING NOT NULL",
                new AvroBytes().number(5).number(1),
                InputFormat.Avro.containers(false));
        assertEquals(1, run.lost());
        assertTrue(run.log().contains("c, not_null: "), run.log());
        assertTrue(run.log().contains("(record 1 of the block at byte "), run.log());
        assertTrue(run.log().contains("{\"id\":5,\"c\":null}"), run.log());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "'double';INT8;Avro double cannot fill a column of type INT8",
                "['null','int','boolean'];INT8;Avro boolean cannot fill a column of type INT8",
                "{'type':'array','items':'int'};STRING;Avro array cannot",
                "'long';TIMESTAMP;names no logicalType",
                "{'type':'fixed','name':'f','size':3};UUID;Avro fixed(3) cannot",
            })
    void whatCanNeverFitIsRefusedAtOnce(String type, String column, String expected) {
        String message =
                String.valueOf(assertThrows(BadInputException.class, () -> readOne(type, column, new AvroBytes()))
                        .getMessage());
        assertTrue(message.contains(expected), message);
    }

    @Test
    void strictAsksForAFieldForEachColumnAndTheReverse() {
        String message = String.valueOf(assertThrows(
                        BadInputException.class,
                        () -> read(
                                "{'name':'a','type':'int'},{'name':'x','type':'int'}",
                                "a INT8, b INT8",
                                new AvroBytes(),
                                InputFormat.Avro.containers(true)))
                .getMessage());
        assertTrue(message.contains("field x has no column"), message);
        assertTrue(message.contains("column b has no field"), message);
    }

    @Test
    void aMissingColumnMustBeNullable() {
        String message = String.valueOf(assertThrows(
                        BadInputException.class,
                        () -> read(
                                "{'name':'a','type':'int'}",
                                "a INT8, b INT8 NOT NULL",
                                new AvroBytes(),
                                InputFormat.Avro.containers(false)))
                .getMessage());
        assertTrue(message.contains("column b is NOT NULL and has no field"), message);
    }

    @Test
    void aReadersSchemaBringsDefaultsAndAliases() throws IOException {
        String reader = "{'type':'record','name':'r','fields':[{'name':'a','type':'int','aliases':['old_a']},"
                + "{'name':'b','type':'string','default':'none'},{'name':'c','type':['null','int'],'default':null}]}";
        InputFormat format = new InputFormat.Avro(
                Encoding.CONTAINER, AvroSchemas.record(reader.replace('\'', '"'), "reader"), false, "reader");
        AvroRun run = read(
                "{'name':'old_a','type':'int'},{'name':'unwanted','type':'int'}",
                "a INT8, b STRING NOT NULL, c INT8, unwanted INT8",
                new AvroBytes().number(3).number(4),
                format);
        assertEquals(List.of("3 | none | NULL | NULL"), run.rows());
    }
}
