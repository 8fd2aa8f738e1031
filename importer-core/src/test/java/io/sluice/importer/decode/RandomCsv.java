package io.sluice.importer.decode;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;

/**
 * Makes CSV files that are mostly well formed and wrong in every way a file can be wrong. The same generator state
 * gives the same file.
 */
final class RandomCsv {
    /** Valid for one of the types of {@link #TABLE} or none, in no particular order. */
    private static final List<String> TEXTS = List.of(
            "0",
            "1",
            "-17",
            "9223372036854775807",
            "9223372036854775808",
            "12.5",
            "-0.00",
            "1e3",
            "NaN",
            "true",
            "f",
            "2024-02-29",
            "2023-02-29",
            "2024-01-01 12:34:56.789",
            "\\x00ff",
            "\\x0",
            "abc",
            "äöü",
            "日本",
            "a b",
            " 1",
            "1 ",
            "\\N",
            "NULL",
            "null",
            "longer than the column allows",
            "x");

    private static final String[] LINE_ENDS = {"\n", "\r\n", "\r"};

    static final String TABLE = "CREATE TABLE t (a INT8 PRIMARY KEY, b STRING, c DECIMAL(8,2), d BOOL, e DATE, "
            + "f VARCHAR(5) NOT NULL, g TIMESTAMP, h BYTES)";
    private static final int COLUMNS = 8;

    private final Random random;
    private final char delimiter;
    private final int quote;
    private final String nullText;
    private final String decimal;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    RandomCsv(Random random, CsvDialect dialect) {
        this.random = random;
        delimiter = dialect.delimiter().charAt(0);
        Character quoteCharacter = dialect.quote();
        quote = quoteCharacter == null ? -1 : quoteCharacter;
        decimal = String.valueOf(dialect.values().decimal());
        List<String> texts = dialect.values().nullTexts();
        nullText = texts.isEmpty() ? "" : texts.get(random.nextInt(texts.size()));
    }

    private boolean oneIn(int n) {
        return random.nextInt(n) == 0;
    }

    /** A file of records for {@link #TABLE}. */
    byte[] file(int records) {
        out.reset();
        if (oneIn(4)) {
            write("\ufeff");
        }
        String lineEnd = LINE_ENDS[random.nextInt(LINE_ENDS.length)];
        for (int i = 0; i < records; i++) {
            while (oneIn(12)) {
                write(lineEnd);
            }
            record();
            boolean last = i == records - 1;
            if (!last || !oneIn(3)) {
                write(oneIn(20) ? LINE_ENDS[random.nextInt(LINE_ENDS.length)] : lineEnd);
            }
        }
        return out.toByteArray();
    }

    private void record() {
        boolean plain = !oneIn(3);
        int fields = oneIn(15) ? random.nextInt(COLUMNS + 3) : COLUMNS;
        for (int i = 0; i < fields; i++) {
            if (i > 0) {
                out.write(delimiter);
            }
            if (plain) {
                valid(i);
            } else {
                field(i);
            }
        }
    }

    /** A value that the column takes, so that rows get through as a whole. */
    private void valid(int column) {
        String text =
                switch (column) {
                    case 0 -> Long.toString(random.nextLong());
                    case 1 -> "text " + random.nextInt(100);
                    case 2 -> random.nextInt(100_000) + decimal + random.nextInt(100);
                    case 3 -> random.nextBoolean() ? "t" : "false";
                    case 4 ->
                        "19" + (10 + random.nextInt(90)) + "-0" + (1 + random.nextInt(9)) + "-1" + random.nextInt(10);
                    case 5 -> "v" + random.nextInt(1000);
                    case 6 -> "2001-02-03 04:05:" + (10 + random.nextInt(50)) + ".5";
                    default -> "\\x" + (10 + random.nextInt(90));
                };
        boolean mayBeNull = column != 0 && column != 5;
        if (mayBeNull && oneIn(6)) {
            write(nullText);
        } else if (quote >= 0 && oneIn(3)) {
            quoted(text);
        } else {
            write(text);
        }
    }

    private void field(int column) {
        switch (random.nextInt(14)) {
            case 0 -> {}
            case 1 -> quoted("");
            case 2 -> write(nullText);
            case 3 -> quoted(nullText);
            case 4 -> quoted(text() + LINE_ENDS[random.nextInt(3)] + text());
            case 5 -> quoted(text() + delimiter + text());
            case 6 -> {
                quoted(text());
                write(List.of(" ", "\t", "\u000b", "\f", "\u001c").get(random.nextInt(5)));
            }
            case 7 -> badBytes();
            case 8 -> rare();
            case 9 -> write(text());
            case 10 -> quoted(text());
            default -> valid(column);
        }
    }

    private void rare() {
        switch (random.nextInt(12)) {
            case 0 -> {
                quoted(text());
                write("behind");
            }
            case 1 -> {
                write("stray");
                quoteByte();
                write("quote");
            }
            case 2 -> {
                quoteByte();
                write("never closed");
            }
            case 3 -> {
                quoted("twice");
                quoted("quoted");
            }
            case 4 -> {
                write(" ");
                quoted("behind a blank");
            }
            default -> quoted("say ".repeat(random.nextInt(5)) + (quote < 0 ? "" : (char) quote) + text());
        }
    }

    private void badBytes() {
        boolean quoted = oneIn(2);
        if (quoted) {
            quoteByte();
        }
        switch (random.nextInt(5)) {
            case 0 -> out.write(0);
            case 1 -> out.write(0xff);
            case 2 -> out.write(0xc3);
            case 3 -> out.writeBytes(new byte[] {(byte) 0xed, (byte) 0xa0, (byte) 0x80});
            default -> write("\u001f\u0001");
        }
        if (quoted) {
            quoteByte();
        }
    }

    private String text() {
        return TEXTS.get(random.nextInt(TEXTS.size()));
    }

    private void quoted(String text) {
        if (quote < 0) {
            write(text);
            return;
        }
        String q = String.valueOf((char) quote);
        write(q + text.replace(q, q + q) + q);
    }

    private void quoteByte() {
        if (quote >= 0) {
            out.write(quote);
        }
    }

    private void write(String text) {
        out.writeBytes(text.getBytes(StandardCharsets.UTF_8));
    }

    /** A file of nothing but bytes that mean something, in any order. */
    byte[] soup(int bytes) {
        byte[] alphabet = {
            (byte) delimiter,
            (byte) delimiter,
            (byte) (quote < 0 ? 'q' : quote),
            (byte) (quote < 0 ? 'r' : quote),
            '\r',
            '\n',
            '\n',
            'a',
            '1',
            ' ',
            0x0b,
            0,
            (byte) 0xc3,
            (byte) 0xa9
        };
        byte[] file = new byte[bytes];
        for (int i = 0; i < bytes; i++) {
            file[i] = alphabet[random.nextInt(alphabet.length)];
        }
        return file;
    }
}
