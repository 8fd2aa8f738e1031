package io.sluice.importer.conflict;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which rows give way. Decided row by row: a row that shares a key with a row that stays, and is not the same row,
 * gives way with all its keys, so that those are free again for rows behind it.
 *
 * @param drops rows of the input that give way, in the order of the input
 * @param replaced rows of the table that give way, by identity
 */
public record Resolution(List<Drop> drops, Set<Fingerprint> replaced) {
    public Resolution {
        drops = List.copyOf(drops);
        replaced = Set.copyOf(replaced);
    }

    /**
     * A row that gives way.
     *
     * @param loser the row
     * @param claim the key over which
     * @param winner the row that stays; null: it is one of the table
     */
    public record Drop(
            Contender loser,
            Contender.FencingToken claim,
            @Nullable Contender winner) {}

    private record Holder(Fingerprint identity, @Nullable Contender row) {}

    /**
     * Decides.
     *
     * @param rows all rows of the input that hold one of the keys, in the order of the input
     * @param existing the identity of the row of the table that holds a key, by the key's fingerprint
     * @param policy not {@link ConflictPolicy#ERROR}
     */
    public static Resolution of(List<Contender> rows, Map<Fingerprint, Fingerprint> existing, ConflictPolicy policy) {
        return switch (policy) {
            case FIRST, CAPTURE -> first(rows, existing);
            case LAST -> last(rows, existing);
            case ERROR -> throw new IllegalArgumentException("with this policy nobody gives way");
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

    /** Lets a row stay, if all its keys are free or its own; else it gives way. */
    private static void place(Contender row, Map<Fingerprint, Holder> held, List<Drop> drops) {
        for (Contender.FencingToken claim : row.claims()) {
            Holder holder = held.get(claim.keyPrint());
            if (holder != null && !holder.identity.equals(row.identity())) {
                drops.add(new Drop(row, claim, holder.row));
                return;
            }
        }
        for (Contender.FencingToken claim : row.claims()) {
            held.putIfAbsent(claim.keyPrint(), new Holder(row.identity(), row));
        }
    }
}
