package io.sluice.importer.conflict;

import io.sluice.importer.conflict.Contender.HeldKey;
import io.sluice.importer.decode.Reject;
import io.sluice.testing.Script;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Tests by scripts which rows of a table {@code t (id PRIMARY KEY, mail UNIQUE, name)} win. A row is written
 * ID/MAIL/NAME.
 *
 * <pre>
 * table ROW...     the rows that the table has
 * input ROW...     the rows of the input, in their order
 * resolve POLICY   the rows that are left, and what became of the others
 * </pre>
 */
class ConflictScriptTest implements Script.Subject {
    private static final List<String> INDEXES = List.of("id", "mail");

    private List<String> table = List.of();
    private List<String> input = List.of();

    @Test
    void scriptAnswersAreAsWritten() throws Exception {
        Script.check(ConflictScriptTest.class, "conflicts.txt", this);
    }

    @Override
    public String answer(String command, List<String> args) {
        switch (command) {
            case "table" -> table = args;
            case "input" -> input = args;
            case "resolve" -> {
                return resolve(ConflictPolicy.valueOf(args.get(0).toUpperCase(Locale.ROOT)));
            }
            default -> throw new IllegalArgumentException("no such command: " + command);
        }
        return "";
    }

    private String resolve(ConflictPolicy policy) {
        List<Contender> rows = new ArrayList<>();
        for (String row : input) {
            rows.add(contender(row, rows.size()));
        }
        Map<Fingerprint, Fingerprint> existing = new HashMap<>();
        for (String row : table) {
            Contender stored = contender(row, 0);
            stored.keys().forEach(key -> existing.put(key.keyPrint(), stored.identity()));
        }
        Resolution resolution = Resolution.of(rows, existing, policy);
        DroppedRows dropped = new DroppedRows(resolution.drops());
        List<String> lines = new ArrayList<>();
        for (String row : table) {
            boolean replaced = resolution.replaced().contains(print(row));
            lines.add(row + (replaced ? "  is replaced" : "  stays in the table"));
        }
        for (int i = 0; i < input.size(); i++) {
            Resolution.Drop drop = dropped.at(0, i);
            lines.add(input.get(i) + "  " + (drop == null ? "wins" : "loses: " + reason(drop)));
        }
        return String.join("\n", lines);
    }

    private String reason(Resolution.Drop drop) {
        Contender winner = drop.winner();
        return (winner == null
                        ? "a row of the table"
                        : input.get((int) winner.place().byteOffset())) + " has this "
                + INDEXES.get(drop.key().index());
    }

    private static Contender contender(String row, int position) {
        String[] columns = row.split("/", -1);
        List<HeldKey> keys = new ArrayList<>();
        for (int index = 0; index < INDEXES.size(); index++) {
            String key = INDEXES.get(index) + columns[index];
            keys.add(new HeldKey(index, key.getBytes(StandardCharsets.UTF_8), print(key), print(row)));
        }
        return new Contender(new Place(0, "rows.csv", Reject.Unit.LINE, position + 1, position), print(row), keys);
    }

    private static Fingerprint print(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return Fingerprint.of(bytes);
    }
}
