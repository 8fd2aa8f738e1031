package io.sluice.importer.decode.avro;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.importer.decode.Decoding;
import io.sluice.importer.decode.Reject;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.decode.input.InputFormat.Avro.Encoding;
import io.sluice.model.error.BadInputException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.avro.Schema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the mapping of fields to columns, and their values. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class AvroColumnsTest {
    @TempDir
    Path directory;

    private AvroRun read(String fields, String columns, AvroBytes data, InputFormat format) throws IOException {
        Path file = directory.resolve("columns.avro");
        String schema = "{'type':'record','name':'r','fields':[" + fields + "]}";
        Files.write(
                file, AvroBytes.header(schema, "null").block(1, data.toArray()).toArray());
        return AvroRun.of(file, format, Decoding.table(columns), 1 << 16);
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
                "{'type':'long','logicalType':'time-micros'};TIME(0);86400499999;24:00:00",
                "{'type':'long','logicalType':'time-micros'};TIME(0);86400500000;out_of_range",
                "{'type':'int','logicalType':'time-millis'};TIME(1);86400049;24:00:00",
                "{'type':'int','logicalType':'time-millis'};TIME(1);86400050;out_of_range",
                "{'type':'long','logicalType':'time-micros'};TIME(0);-500000;00:00:00",
                "{'type':'long','logicalType':'time-micros'};TIME(0);-500001;out_of_range",
                "{'type':'long','logicalType':'time-micros'};TIME(0);-9223372036854775808;out_of_range",
                "{'type':'long','logicalType':'time-micros'};TIME(0);9223372036854775807;out_of_range",
                "{'type':'long','logicalType':'timestamp-millis'};TIMESTAMP(0);9224318015999499;"
                        + "294276-12-31 23:59:59",
                "{'type':'long','logicalType':'timestamp-millis'};TIMESTAMP(0);9224318015999500;out_of_range",
                "{'type':'long','logicalType':'timestamp-micros'};TIMESTAMP(0);-210866803200500000;-infinity",
                "{'type':'long','logicalType':'timestamp-micros'};TIMESTAMP(0);-210866803200500001;out_of_range",
                "{'type':'long','logicalType':'timestamp-micros'};TIMESTAMP(0);-500000;1970-01-01 00:00:00",
                "{'type':'long','logicalType':'timestamp-micros'};TIMESTAMP(0);-500001;1969-12-31 23:59:59",
                "{'type':'long','logicalType':'timestamp-millis'};TIMESTAMP;9223372036854775807;out_of_range",
                "{'type':'long','logicalType':'timestamp-nanos'};TIMESTAMP;999999999;out_of_range",
                "{'type':'long','logicalType':'timestamp-nanos'};TIMESTAMP;999999000;1970-01-01 00:00:00.999999",
                "{'type':'long','logicalType':'local-timestamp-nanos'};TIMESTAMP(0);-500000000;1970-01-01 00:00:00",
                "{'type':'enum','name':'e','symbols':['A','LONG']};STRING(3);0;A",
                "{'type':'enum','name':'e','symbols':['A','LONG']};STRING(3);1;too_long",
                "{'type':'enum','name':'e','symbols':['A','LONG']};STRING(3);2;malformed",
            })
    void numbers(String type, String column, long value, String expected) throws IOException {
        AvroRun run = readOne(type, column, new AvroBytes().number(value));
        String found = run.rows().isEmpty()
                ? run.rejects().get(0).problem().code()
                : run.rows().get(0);
        assertEquals(expected, found, run.log());
    }

    @Test
    void nanosecondsAreRoundedByAnOptionOnly() throws IOException {
        String nanos = "{'type':'long','logicalType':'timestamp-nanos'}";
        AvroBytes value = new AvroBytes().number(1_999_999_500L);
        InputFormat rounding = new InputFormat.Avro(Encoding.CONTAINER, null, false, true, "");
        assertEquals(
                List.of("1970-01-01 00:00:02"),
                read("{'name':'c','type':" + nanos + "}", "c TIMESTAMP", value, rounding)
                        .rows());
        AvroBytes inList =
                new AvroBytes().number(7).number(1).number(1_999_999_500L).number(0);
        String fields = "{'name':'a','type':'int'},{'name':'c','type':{'type':'array','items':" + nanos + "}}";
        assertEquals(
                List.of("7 | [\"1970-01-01 00:00:02+00\"]"),
                read(fields, "a INT4, c STRING", inList, rounding).rows());
        Reject refused = read(fields, "a INT4, c STRING", inList, InputFormat.Avro.containers(false))
                .rejects()
                .get(0);
        assertEquals("c", refused.problem().column());
        assertEquals("out_of_range", refused.problem().code());
        String reader = "{'type':'record','name':'r','fields':[{'name':'a','type':'int'},{'name':'c','type':" + nanos
                + ",'default':1999999500}]}";
        InputFormat withDefault = new InputFormat.Avro(
                Encoding.CONTAINER, AvroSchemas.record(reader.replace('\'', '"'), "reader"), false, true, "reader");
        assertEquals(
                List.of("7 | 1970-01-01 00:00:02"),
                read("{'name':'a','type':'int'}", "a INT4, c TIMESTAMP", new AvroBytes().number(7), withDefault)
                        .rows());
    }

    @Test
    void arraysOfScalarsAreArrays() throws IOException {
        String dates = "{'type':'array','items':['null',{'type':'int','logicalType':'date'}]}";
        AvroBytes value = new AvroBytes()
                .number(3)
                .number(1)
                .number(1)
                .number(0)
                .number(1)
                .number(-1)
                .number(0);
        assertEquals(
                List.of("{1970-01-02,NULL,1969-12-31}"),
                readOne(dates, "DATE[]", value).rows());
        assertEquals(
                List.of("{1970-01-02,NULL,1969-12-31}"),
                readOne(dates, "STRING(10)[]", value).rows());
        assertEquals(
                "syntax",
                readOne(dates, "INT8[]", value).rejects().get(0).problem().code());
        String nested = "{'type':'array','items':{'type':'array','items':'int'}}";
        AvroBytes one = new AvroBytes().number(1).number(1).number(5).number(0).number(0);
        assertEquals(List.of("[[5]]"), readOne(nested, "JSONB", one).rows());
        assertEquals(
                "syntax",
                readOne(nested, "INT8[]", one).rejects().get(0).problem().code());
    }

    @ParameterizedTest
    @CsvSource({
        "1e-46,out_of_range",
        "-1e-300,out_of_range",
        "1e39,out_of_range",
        "1e-45,1e-45",
        "0.0,0",
        "-0.0,-0",
        "-Infinity,-Infinity",
        "NaN,NaN"
    })
    void doublesBecomeFloatsInTheirRange(double value, String expected) throws IOException {
        AvroRun run = readOne(
                "'double'",
                "FLOAT4",
                new AvroBytes()
                        .raw(ByteBuffer.allocate(8)
                                .order(ByteOrder.LITTLE_ENDIAN)
                                .putDouble(value)
                                .array()));
        assertEquals(
                expected,
                run.rows().isEmpty()
                        ? run.rejects().get(0).problem().code()
                        : run.rows().get(0));
    }

    /** A list that contains itself: a record of a value of each kind, and perhaps the next record. */
    @Test
    void nestedValuesAreJson() throws IOException {
        String type = "{'type':'record','name':'link','fields':["
                + "{'name':'a\u00e9','type':['null','double','string']},"
                + "{'name':'m','type':{'type':'map','values':{'type':'array','items':'null'}}},"
                + "{'name':'d','type':{'type':'int','logicalType':'date'}},"
                + "{'name':'next','type':['null','link']}]}";
        byte[] nan = new byte[] {0, 0, 0, 0, 0, 0, (byte) 0xf8, 0x7f};
        AvroBytes value = new AvroBytes()
                .number(1)
                .raw(nan)
                .number(-1)
                .number(6)
                .string("k\t")
                .number(2)
                .number(0)
                .number(0)
                .number(1)
                .number(1)
                .number(2)
                .string("\u0001\"\\")
                .number(0)
                .number(-1)
                .number(0);
        AvroRun run = readOne(type, "STRING", value);
        assertEquals(
                List.of("{\"a\u00e9\":\"NaN\",\"m\":{\"k\\t\":[null,null]},\"d\":\"1970-01-02\",\"next\":"
                        + "{\"a\u00e9\":\"\\u0001\\\"\\\\\",\"m\":{},\"d\":\"1969-12-31\",\"next\":null}}"),
                run.rows(),
                run.log());
        run = readOne(type, "JSONB", value);
        assertEquals(
                List.of("{\"a\u00e9\": \"NaN\", \"d\": \"1970-01-02\", \"m\": {\"k\\t\": [null, null]}, \"next\": "
                        + "{\"a\u00e9\": \"\\u0001\\\"\\\\\", \"d\": \"1969-12-31\", \"m\": {}, \"next\": null}}"),
                run.rows(),
                run.log());
        String nothings = "{'type':'array','items':'null'}";
        AvroRun endless = readOne(
                nothings, "STRING", new AvroBytes().number(Long.MAX_VALUE).number(0));
        assertTrue(endless.log().contains("more than 33554432 bytes as JSON"), endless.log());
        AvroRun tooLong =
                readOne(nothings, "STRING(5)", new AvroBytes().number(2).number(0));
        assertEquals("too_long", tooLong.rejects().get(0).problem().code());
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
                run.rows().isEmpty()
                        ? run.rejects().get(0).problem().code()
                        : run.rows().get(0));
    }

    @ParameterizedTest
    @CsvSource({
        "2,3,'DECIMAL(6,2)',-0.01", // -5 thousandths, rounded half away from zero
        "2,2,DECIMAL,-0.05",
        "30,25,'DECIMAL(6,2)',0.00",
        "5,0,'DECIMAL(2,2)',out_of_range",
        "2,0,'DECIMAL(30,20)',-5.00000000000000000000",
        "2,0,INT8,-5",
        "2,0,TINYINT UNSIGNED,out_of_range"
    })
    void decimalsAreBroughtToTheColumnsScale(int precision, int scale, String column, String expected)
            throws IOException {
        String type = "{'type':'bytes','logicalType':'decimal','precision':" + Math.max(precision, scale) + ",'scale':"
                + scale + "}";
        AvroRun run = readOne(type, column, new AvroBytes().number(1).raw(new byte[] {-5}));
        assertEquals(
                expected,
                run.rows().isEmpty()
                        ? run.rejects().get(0).problem().code()
                        : run.rows().get(0));
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
                "{'type':'array','items':'int'};INT8;Avro array cannot",
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
        assertTrue(message.contains("column b is NOT NULL and has no field and no DEFAULT"), message);
    }

    /** The same columns without a field, in files of either encoding, as in a CSV file without their fields. */
    @Test
    void columnsWithoutAFieldTakeTheirDefaults() throws IOException {
        String columns =
                "a INT8, s STRING NOT NULL DEFAULT 'none', n INT2 DEFAULT 7, d DECIMAL(6,2) NOT NULL DEFAULT 1.5,"
                        + " t TIMESTAMP DEFAULT '2024-01-01', z STRING DEFAULT NULL, b BYTES DEFAULT '\\x00ff', k INT8";
        String expected = " | none | 7 | 1.50 | 2024-01-01 00:00:00 | NULL | \\x00ff | NULL";
        String field = "{'name':'a','type':'int'}";
        AvroRun container = read(field, columns, new AvroBytes().number(3), InputFormat.Avro.containers(false));
        assertEquals(List.of("3" + expected), container.rows(), container.log());

        Schema schema = AvroSchemas.record(
                ("{'type':'record','name':'r','fields':[" + field + "]}").replace('\'', '"'), "reader");
        Path binary = Files.write(
                directory.resolve("bare"), new AvroBytes().number(3).number(4).toArray());
        Path json = Files.writeString(directory.resolve("lines"), "{\"a\":3}\n{\"a\":4}\n");
        for (Encoding encoding : List.of(Encoding.BINARY, Encoding.JSON)) {
            AvroRun run = AvroRun.of(
                    encoding == Encoding.BINARY ? binary : json,
                    new InputFormat.Avro(encoding, schema, false, "reader"),
                    Decoding.table(columns),
                    1 << 16);
            assertEquals(List.of("3" + expected, "4" + expected), run.rows(), run.log());
        }
    }

    @Test
    void aFieldThatIsNullDoesNotTakeTheDefault() throws IOException {
        String fields = "{'name':'a','type':['null','int']},{'name':'b','type':['null','int']}";
        AvroRun run = read(
                fields,
                "a INT8 DEFAULT 5, b INT8 NOT NULL DEFAULT 6, c INT8 DEFAULT 7",
                new AvroBytes().number(0).number(1).number(8),
                InputFormat.Avro.containers(false));
        assertEquals(List.of("NULL | 8 | 7"), run.rows(), run.log());
        AvroRun refused = read(
                fields,
                "a INT8 DEFAULT 5, b INT8 NOT NULL DEFAULT 6, c INT8 DEFAULT 7",
                new AvroBytes().number(0).number(0),
                InputFormat.Avro.containers(false));
        assertEquals("not_null", refused.rejects().get(0).problem().code(), refused.log());
    }

    @Test
    void aReadersDefaultWinsOverTheColumns() throws IOException {
        String reader = "{'type':'record','name':'r','fields':[{'name':'a','type':'int'},"
                + "{'name':'b','type':'string','default':'reader'},{'name':'c','type':['null','int'],'default':null}]}";
        InputFormat format = new InputFormat.Avro(
                Encoding.CONTAINER, AvroSchemas.record(reader.replace('\'', '"'), "reader"), false, "reader");
        AvroRun run = read(
                "{'name':'a','type':'int'}",
                "a INT8, b STRING DEFAULT 'column', c INT8 DEFAULT 1, d INT8 DEFAULT 2",
                new AvroBytes().number(3),
                format);
        assertEquals(List.of("3 | reader | NULL | 2"), run.rows());
    }

    @Test
    void aDefaultMustBeAValueOfItsColumn() {
        String message = String.valueOf(assertThrows(
                        BadInputException.class,
                        () -> read(
                                "{'name':'a','type':'int'}",
                                "a INT8, b DATE NOT NULL DEFAULT 'soon'",
                                new AvroBytes().number(3),
                                InputFormat.Avro.containers(false)))
                .getMessage());
        assertTrue(message.contains("column b: its DEFAULT 'soon'"), message);
    }

    /** Numbers that JSON can say and the field's type cannot hold, and halves of characters, are refused. */
    @Test
    void jsonValuesOutOfRangeAreRefused() throws IOException {
        Schema schema = AvroSchemas.record(
                "{'type':'record','name':'r','fields':[{'name':'f','type':'float'},{'name':'d','type':'double'},"
                                .replace('\'', '"')
                        + "{'name':'s','type':'string'}]}".replace('\'', '"'),
                "schema");
        Path json = Files.writeString(directory.resolve("lines"), """
                {"f":1e-50,"d":1,"s":"a"}
                {"f":-1e39,"d":1,"s":"b"}
                {"f":1,"d":1e-400,"s":"c"}
                {"f":1,"d":1e400,"s":"d"}
                {"f":1,"d":1,"s":"\\ud800"}
                {"f":0e-400,"d":-0.0,"s":"\\ud83d\\ude00"}
                {"f":"Infinity","d":"NaN","s":"f"}
                """);
        AvroRun run = AvroRun.of(
                json,
                new InputFormat.Avro(Encoding.JSON, schema, false, "schema"),
                Decoding.table("f FLOAT4, d FLOAT8, s STRING"),
                1 << 16);
        assertEquals(List.of("0 | -0 | \ud83d\ude00", "Infinity | NaN | f"), run.rows(), run.log());
        assertEquals(5, run.rejects().size(), run.log());
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
