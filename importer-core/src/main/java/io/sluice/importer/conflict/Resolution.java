package io.sluice.importer.conflict;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides row by row which rows lose. A row loses if it shares a key with a different row that stays. A losing row
 * frees all its keys for the rows after it.
 *
 * @param drops losing rows of the input, in the order of the input
 * @param replaced losing rows of the table, by identity
 */
public record Resolution(List<Drop> drops, Set<Fingerprint> replaced) {
    public Resolution {
        drops = List.copyOf(drops);
        replaced = Set.copyOf(replaced);
    }

    /**
     * A losing row of the input.
     *
     * @param loser the losing row
     * @param key the shared key
     * @param winner the row that stays; null: a row of the table
     */
    public record Drop(
            Contender loser,
            Contender.HeldKey key,
            @Nullable Contender winner) implements Serializable {
        private static final long serialVersionUID = 1L;
    }

    private record Holder(Fingerprint identity, @Nullable Contender row) {}

    /**
     * Decides between the rows.
     *
     * @param rows all rows of the input with one of the keys, in the order of the input
     * @param existing the identities of the table's rows with these keys, by fingerprint of the key
     * @param policy not {@link ConflictPolicy#ERROR}
     */
    public static Resolution of(List<Contender> rows, Map<Fingerprint, Fingerprint> existing, ConflictPolicy policy) {
        return switch (policy) {
            case FIRST, CAPTURE -> first(rows, existing);
            case LAST -> last(rows, existing);
            case ERROR -> throw new IllegalArgumentException("policy error resolves no conflicts");
        };
    }

    private static Resolution first(List<Contender> rows, Map<Fingerprint, Fingerprint> existing) {
        Map<Fingerprint, Holder> held = new HashMap<>();
        existing.forEach((key, identity) -> held.put(key, new Holder(identity, null)));
        List<Drop> drops = new ArrayList<>();
        for (Contender row : rows) {
            place(row, held, drops);
        }
        return new Resolution(drops, Set.of());
    }

    private static Resolution last(List<Contender> rows, Map<Fingerprint, Fingerprint> existing) {
        Map<Fingerprint, Holder> held = new HashMap<>();
        List<Drop> backwards = new ArrayList<>();
        for (int i = rows.size() - 1; i >= 0; i--) {
            place(rows.get(i), held, backwards);
        }
        Set<Fingerprint> replaced = new HashSet<>();
        existing.forEach((key, identity) -> {
            Holder holder = held.get(key);
            if (holder != null && !holder.identity.equals(identity)) {
                replaced.add(identity);
            }
        });
        List<Drop> drops = new ArrayList<>();
        for (int i = backwards.size() - 1; i >= 0; i--) {
            drops.add(backwards.get(i));
        }
        return new Resolution(drops, replaced);
    }

    /** Keeps a row if all its keys are free or held by an equal row; otherwise drops it. */
    private static void place(Contender row, Map<Fingerprint, Holder> held, List<Drop> drops) {
        for (Contender.HeldKey key : row.keys()) {
            Holder holder = held.get(key.keyPrint());
            if (holder != null && !holder.identity.equals(row.identity())) {
                drops.add(new Drop(row, key, holder.row));
                return;
            }
        }
        for (Contender.HeldKey key : row.keys()) {
            held.putIfAbsent(key.keyPrint(), new Holder(row.identity(), row));
        }
    }
}
