package io.sluice.model.kv;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.model.row.Row;
import io.sluice.model.schema.Column;
import io.sluice.model.schema.Index;
import io.sluice.model.schema.Index.Ancestor;
import io.sluice.model.schema.Table;
import io.sluice.model.schema.TypeKind;
import java.io.IOException;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The worked examples of the format's description, one line each, for review by eye. */
final class WorkedExamplesTest {
    private static final HexFormat HEX = HexFormat.of();

    @ParameterizedTest
    @CsvSource({
        "0, asc, 88",
        "1, asc, 89",
        "109, asc, f5",
        "110, asc, f66e",
        "255, asc, f6ff",
        "256, asc, f70100",
        "18446744073709551615, asc, fdffffffffffffffff",
        "0, desc, 88",
        "1, desc, 87fe",
        "256, desc, 86feff",
        "18446744073709551615, desc, 800000000000000000"
    })
    void unsignedIntegers(String value, String direction, String hex) {
        byte[] buffer = new byte[KeyEncoding.MAX_INT_BYTES];
        long unsigned = Long.parseUnsignedLong(value);
        boolean descending = direction.equals("desc");
        int end = descending
                ? KeyEncoding.putUvarintDescending(unsigned, buffer, 0)
                : KeyEncoding.putUvarint(unsigned, buffer, 0);
        assertEquals(hex, HEX.formatHex(buffer, 0, end));
        ByteCursor cursor = ByteCursor.ofKey(HEX.parseHex(hex));
        assertEquals(
                unsigned, descending ? KeyDecoding.readUvarintDescending(cursor) : KeyDecoding.readUvarint(cursor));
    }

    @ParameterizedTest
    @CsvSource({"5, 05", "134, 8106", "32768, 828000", "0, 00", "127, 7f", "128, 8100", "16384, 818000"})
    void bigEndianGroups(long value, String hex) {
        byte[] buffer = new byte[10];
        assertEquals(hex, HEX.formatHex(buffer, 0, ValueEncoding.putBe128(value, buffer, 0)));
        assertEquals(value, ByteCursor.ofKey(HEX.parseHex(hex)).readBe128());
    }

    @ParameterizedTest
    @CsvSource({
        // Integers
        "INT, asc, -1, 87ff",
        "INT, asc, -255, 8701",
        "INT, asc, -256, 86ff00",
        "INT, asc, -9223372036854775808, 808000000000000000",
        "INT, asc, 9223372036854775807, fd7fffffffffffffff",
        "INT, desc, 0, 87ff",
        "INT, desc, 1, 87fe",
        "INT, desc, -1, 88",
        "INT, desc, -110, f5",
        "INT, desc, -111, f66e",
        "INT, desc, 9223372036854775807, 808000000000000000",
        "INT, asc, , 00",
        "INT, desc, , ff",
        "DATE, asc, 1969-12-31, 87ff",
        "DATE, asc, infinity, fd7fffffffffffffff",
        "DATE, asc, -infinity, 808000000000000000",
        "BOOL, asc, true, 89",
        "BOOL, asc, false, 88",
        "BOOL, desc, true, 87fe",
        "TIME, asc, 24:00:00, fa141dd76000",
        // Strings and bytes
        "STRING, asc, '', 120001",
        "STRING, asc, hello, 1268656c6c6f0001",
        "STRING, desc, hello, 13979a939390fffe",
        "BYTES, asc, 00ff, 1200ffff0001",
        "BYTES, desc, 00ff, 13ff0000fffe",
        "BYTES, asc, 610062, 126100ff620001",
        // The eight-bytes-at-a-time path with and without a zero in the word
        "BYTES, asc, 01020304050607080910, 12010203040506070809100001",
        "BYTES, asc, 01020300050607080910, 1201020300ff0506070809100001",
        // Floats
        "FLOAT, asc, 1.5, 053ff8000000000000",
        "FLOAT, asc, -1.5, 034007ffffffffffff",
        "FLOAT, desc, 1.5, 034007ffffffffffff",
        "FLOAT, asc, NaN, 02",
        "FLOAT, desc, NaN, 06",
        "FLOAT, asc, -0, 04",
        "FLOAT, desc, 0, 04",
        "FLOAT, asc, Infinity, 057ff0000000000000",
        "FLOAT, asc, -Infinity, 03000fffffffffffff",
        // Decimals
        "DECIMAL, asc, 1, 2a0200",
        "DECIMAL, asc, 1.00, 2a0200",
        "DECIMAL, asc, -1, 24fd00",
        "DECIMAL, asc, 0.1, 291400",
        "DECIMAL, asc, -0.1, 25eb00",
        "DECIMAL, asc, 0.001, 2887fe1400",
        "DECIMAL, asc, 0.0011, 2887fe1600",
        "DECIMAL, asc, -0.0011, 2689e900",
        "DECIMAL, asc, 10000.50, 2c0301016400",
        "DECIMAL, asc, 9400.10, 2bbd011400",
        "DECIMAL, asc, 1E+20, 34930200",
        "DECIMAL, asc, 13E+1000, 34f701f51a00",
        "DECIMAL, asc, -130E+100, 1a87cbfcc300",
        "DECIMAL, desc, 1, 24fd00",
        "DECIMAL, desc, Infinity, 19",
        "DECIMAL, asc, Infinity, 35",
        "DECIMAL, asc, -Infinity, 19",
        "DECIMAL, asc, NaN, 18",
        "DECIMAL, desc, NaN, 36",
        "DECIMAL, asc, -0.00, 27",
        "DECIMAL, desc, 0, 27",
        // Timestamps
        "TIMESTAMP, asc, 1969-12-31 23:59:59.5, 1487fff91dcd6500",
        "TIMESTAMP, asc, 2020-11-27 12:34:56.789012, 14f95fc0f270f92f075e20",
        "TIMESTAMP, desc, 2020-11-27 12:34:56.789012, 1484a03f0d8f84d0f8a1df"
    })
    void keyDatums(String type, String direction, @Nullable String value, String hex) {
        TypeKind kind = DatumText.kind(type);
        Row row = new Row(1);
        DatumText.set(kind, value, row, 0);
        byte[] buffer = new byte[64];
        int end = KeyEncoding.putDatum(Shape.of(kind), direction.equals("desc"), row, 0, buffer, 0);
        assertEquals(hex, HEX.formatHex(buffer, 0, end));
    }

    @ParameterizedTest
    @CsvSource({
        "INT, 1, -129, 138102",
        "INT, 2, 7, 230e",
        "INT, 9, 300, 8113d804",
        "INT, 2048, 0, 82800300",
        "BOOL, 3, true, 3a",
        "BOOL, 3, false, 3b",
        "STRING, 2, Alice, 2605416c696365",
        "FLOAT, 1, 6.28, 1440191eb851eb851f",
        "FLOAT, 1, NaN, 147ff8000000000001",
        "FLOAT, 1, -0, 148000000000000000",
        "TIMESTAMP, 1, 1969-12-31 23:59:59.5, 18018094ebdc03",
        "DECIMAL, 1, 10000.50, 1505348d0f4272",
        "DECIMAL, 1, 0.5, 15022905",
        "DECIMAL, 1, -12.5, 15031a8a7d",
        "DECIMAL, 1, -0.00012, 1503268b0c",
        "DECIMAL, 1, 0, 150127",
        "DECIMAL, 1, 0.00, 15022889",
        "DECIMAL, 1, -0.00, 15022889",
        "DECIMAL, 1, 0E+3, 1502348c",
        "DECIMAL, 1, 256, 1504348b0100",
        "DECIMAL, 1, NaN, 150118",
        "DECIMAL, 1, Infinity, 150135",
        "DECIMAL, 1, -Infinity, 150119"
    })
    void valueDatums(String type, int delta, String value, String hex) {
        TypeKind kind = DatumText.kind(type);
        Row row = new Row(1);
        DatumText.set(kind, value, row, 0);
        byte[] buffer = new byte[64];
        int end = ValueEncoding.putDatum(Shape.of(kind), delta, row, 0, buffer, 0);
        assertEquals(hex, HEX.formatHex(buffer, 0, end));
    }

    @ParameterizedTest
    @CsvSource({
        "DECIMAL, 1.0, true",
        "DECIMAL, 10, true",
        "DECIMAL, 0, true",
        "DECIMAL, 0.00, true",
        "DECIMAL, NaN, true",
        "DECIMAL, -Infinity, true",
        "DECIMAL, 123456789012345678901234567890, true",
        "DECIMAL, 1.1, false",
        "DECIMAL, 1E+30, false",
        "DECIMAL, 123456789012345678901234567891, false",
        "FLOAT, -0, true",
        "FLOAT, 0, false",
        "FLOAT, NaN, false",
        "INT, 0, false"
    })
    void compositeDatums(String type, String value, boolean composite) {
        TypeKind kind = DatumText.kind(type);
        Row row = new Row(1);
        DatumText.set(kind, value, row, 0);
        assertEquals(composite, Shape.of(kind).isComposite(row, 0));
    }

    @ParameterizedTest
    @CsvSource({"0, 88", "1, 8989", "110, f66e8a"})
    void familySuffixes(int family, String hex) {
        byte[] buffer = new byte[32];
        assertEquals(hex, HEX.formatHex(buffer, 0, KeyEncoding.putFamilySuffix(family, buffer, 0)));
    }

    @ParameterizedTest
    @CsvSource({"be89, be8a", "00ff, 01", "bd89ff, bd8a", "'', ffff", "ffff, ffff"})
    void prefixEnds(String prefix, String end) {
        assertEquals(end, HEX.formatHex(KeySpan.prefixEnd(HEX.parseHex(prefix))));
    }

    @Test
    void stringsWithAndWithoutZeroBytes() {
        Row row = new Row(1);
        byte[] text = new byte[134];
        row.setBytes(0, text, 0, text.length);
        byte[] buffer = new byte[256];
        int end = ValueEncoding.putDatum(Shape.BYTES, 1, row, 0, buffer, 0);
        assertEquals("168106", HEX.formatHex(buffer, 0, 3));
        assertEquals(3 + text.length, end);
    }

    @Test
    void compositeInSecondaryIndex() throws IOException {
        // The example leaves the UUID open, so its CRC is not compared.
        Table table = VectorTables.get("uniqnull");
        Row row = new Row(table.def().columns().size());
        set(table, row, "u", "00000000-0000-0000-0000-000000000000");
        set(table, row, "ts", "1970-01-01 00:00:01");
        set(table, row, "c", "1.50");
        set(table, row, "ok", "true");
        EncodedKv kv = encode(table, "cts", row);
        assertEquals("f58d2a03640088", kv.keyHex());
        String uuid = "12" + "00ff".repeat(16) + "0001";
        assertEquals("03" + uuid + "148988" + "5503348996" + "2a", kv.valueHex().substring(8));
    }

    @Test
    void twoAncestors() throws IOException {
        Table table = VectorTables.get("g300");
        Row row = new Row(table.def().columns().size());
        set(table, row, "a", "1");
        set(table, row, "b", "2");
        set(table, row, "c", "3.0");
        assertEquals(
                "be8989fed1898afef7012c8924f90088",
                encode(table, "primary", row).keyHex());
    }

    @Test
    void childWithoutOwnColumns() throws IOException {
        Table table = VectorTables.get("sib999");
        Row row = new Row(table.def().columns().size());
        set(table, row, "a", "1");
        // 999 = 03e7
        assertEquals("be8989fef703e78988", encode(table, "primary", row).keyHex());
    }

    @Test
    void hiddenRowIdIsAnOrdinaryInteger() throws IOException {
        Table table = VectorTables.get("norowpk");
        Row row = new Row(table.def().columns().size());
        set(table, row, "k", "1");
        set(table, row, "rowid", "7");
        EncodedKv kv = encode(table, "primary", row);
        assertEquals("bf898f88", kv.keyHex());
        assertEquals("0a1302", kv.valueHex().substring(8));
    }

    @Test
    void secondaryInterleavedWithoutAncestorColumnsLeft() throws IOException {
        Table c73 = VectorTables.get("c73");
        Index secondary = c73.indexes().get(1);
        assertEquals(List.of(new Ancestor(54, 1, 1)), secondary.ancestors());
        Row row = new Row(c73.def().columns().size());
        set(c73, row, "a", "1");
        set(c73, row, "b", "2");
        assertEquals("be8989fed18a008a88", encode(c73, "c73_s", row).keyHex());
    }

    private static void set(Table table, Row row, String name, String text) {
        int position = table.def().columnIndex(name);
        Column column = table.def().columns().get(position);
        DatumText.set(column.type().kind(), text, row, position);
    }

    private static EncodedKv encode(Table table, String index, Row row) {
        for (IndexEncoder encoder : IndexEncoder.ofAll(table)) {
            if (table.indexes().get(encoder.ordinal()).def().name().equals(index)) {
                return EncodedKv.of(encoder, row);
            }
        }
        throw new IllegalArgumentException("no index " + index);
    }
}
