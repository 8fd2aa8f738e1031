package io.sluice.it.support;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** A table with a two-column key and two secondary indexes, and rows for it in whatever order a test wants. */
public final class Stock {
    /** The statement that creates the table. */
    public static final String SQL =
            "CREATE TABLE stock (warehouse INT8, item INT8, quantity INT4, code STRING, note STRING, "
                    + "PRIMARY KEY (warehouse, item), INDEX by_item (item), UNIQUE INDEX by_code (code));";

    private static final int ITEMS = 1000;
    private static final String NOTE = "a note that makes the row about as long as rows are, with a, comma in it ";

    private Stock() {}

    /** Row number n as a line, deterministic; rows with higher numbers have higher primary keys. */
    public static String line(int n) {
        int warehouse = n / ITEMS;
        int item = n % ITEMS;
        // An odd factor permutes the 32-bit numbers: codes are unique and in no order.
        String code = Integer.toHexString(n * 0x9e3779b1);
        return warehouse + "," + item + "," + (n * 7 % 100) + "," + code + ",\"" + NOTE + n + "\"";
    }

    /** The note of row number n, after its length, as in its primary KV; its line does not have these bytes. */
    public static byte[] encodedNote(int n) {
        byte[] text = (" " + NOTE + n).getBytes(StandardCharsets.UTF_8);
        text[0] = (byte) (text.length - 1);
        return text;
    }

    /** Row numbers 0 to {@code rows - 1}, in order. */
    public static List<Integer> numbers(int rows) {
        List<Integer> numbers = new ArrayList<>(rows);
        for (int i = 0; i < rows; i++) {
            numbers.add(i);
        }
        return numbers;
    }

    /** The same numbers in an order that the seed determines. */
    public static List<Integer> shuffled(int rows, long seed) {
        List<Integer> numbers = numbers(rows);
        Collections.shuffle(numbers, new Random(seed));
        return numbers;
    }

    /** The arguments of an import of such rows into a store, with little memory and a report in JSON. */
    public static String[] importing(Path schema, Path store, Path input, String... more) {
        List<String> arguments =
                new ArrayList<>(List.of("import", "--schema", schema.toString(), "--store", store.toString()));
        arguments.addAll(List.of("--memory", "64m", "--workers", "2", "--json", input.toString()));
        arguments.addAll(List.of(more));
        return arguments.toArray(new String[0]);
    }

    /** Writes rows as CSV, in the order of their numbers in the list; returns the file. */
    public static Path write(Path file, List<Integer> numbers) {
        try (Writer out = Files.newBufferedWriter(file)) {
            for (int n : numbers) {
                out.write(line(n));
                out.write('\n');
            }
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
