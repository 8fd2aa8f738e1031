package io.sluice.importer.job;

import io.sluice.api.error.BadInputException;
import io.sluice.api.error.OperationFailedException;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.OverlapReport;
import io.sluice.importer.conflict.ConflictPolicy;
import io.sluice.importer.job.ConflictResolver.Decision;
import io.sluice.importer.source.InputFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What takes the place of verification when rows go into a table that has some: they wait beside it, and are held
 * against what it has. Rows that it has already are repeated and change nothing, so that an import can be done twice;
 * rows whose keys it has with other values are conflicts.
 */
final class AppendStep {
    /** An eighth of the memory for keys that the table has too, at some 128 bytes each with what they are kept in. */
    private static final int COLLISION_SHARE = 8 * 128;

    private final ImportContext context;
    private final List<InputFile> inputs;
    private final int mostCollisions;

    AppendStep(ImportContext context, List<InputFile> inputs) {
        this.context = context;
        this.inputs = inputs;
        mostCollisions = (int) Math.min(1 << 24, context.settings().memoryBytes() / COLLISION_SHARE);
    }

    /**
     * What came of it.
     *
     * @param after what the table will add up to
     * @param added what the import adds to it
     * @param decision what was decided about conflicts
     * @param again what the next attempt must do differently; null: this one can be published
     */
    record Met(
            List<IndexChecksum> after,
            List<IndexChecksum> added,
            Decision decision,
            @Nullable Decision again) {}

    /**
     * Holds what was shipped against the table, and settles conflicts.
     *
     * @param decision what was decided in an earlier attempt
     * @param shipped per index
     */
    Met meet(Decision decision, List<IndexChecksum> shipped) throws IOException, InterruptedException {
        if (!decision.replaced().isEmpty()) {
            context.session().replace(decision.replaced());
        }
        OverlapReport met = context.session().checkOverlap(mostCollisions);
        Decision settled = decision;
        if (context.conflicts().conflicts() > 0 || met.collided() > 0) {
            ConflictResolver.ensureFirst(decision);
            if (met.collided() > met.collisions().size() && context.settings().onConflict() != ConflictPolicy.ERROR) {
                throw new BadInputException(
                        "table " + context.table().name() + " has " + met.collided()
                                + " keys of the input with other values; at most "
                                + met.collisions().size()
                                + " can be settled with this --memory. Nothing was imported; give more, or import the input in parts");
            }
            met.collisions().forEach(collision -> context.conflicts().met(collision.key()));
            context.conflicts().counted(met.collided());
            settled = new ConflictResolver(context, inputs).decide(true, met);
            if (!settled.dropped().isEmpty()) {
                return new Met(List.of(), List.of(), settled, settled);
            }
            context.session().replace(settled.replaced());
            met = context.session().checkOverlap(mostCollisions);
        }
        if (context.settings().verification() == ImportSettings.Verification.FULL) {
            readBack(met.after());
        }
        List<IndexChecksum> added = new ArrayList<>();
        for (int i = 0; i < shipped.size(); i++) {
            IndexChecksum all = shipped.get(i);
            IndexChecksum repeated = met.repeated().get(i);
            context.conflicts().repeated(i, repeated.sum().count());
            added.add(new IndexChecksum(all.index(), all.sum().minus(repeated.sum())));
        }
        return new Met(met.after(), added, settled, null);
    }

    /**
     * Reads the whole table and all that is to come into it, and checks that they add up; nothing is published yet.
     *
     * @param after what the table is to add up to
     * @throws OperationFailedException when it does not
     */
    private void readBack(List<IndexChecksum> after) {
        new Verifier(context.table())
                .check(
                        "to be in the table",
                        after,
                        "read back",
                        context.session().readBack().indexes());
    }
}
