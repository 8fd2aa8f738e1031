package io.sluice.node.ingest;

import io.sluice.api.node.RangeDirectory;
import io.sluice.api.node.ShipAnswer;
import io.sluice.api.node.SstFile;
import io.sluice.engine.store.KeyBounds;
import io.sluice.model.error.OperationFailedException;
import java.util.HexFormat;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Checks the keys that one node receives against a range directory. A pure function. */
final class Placement {
    private static final String LIMITER = "range";

    private final String nodeId;

    Placement(String nodeId) {
        this.nodeId = nodeId;
    }

    /**
     * Checks that an SST was cut for the directory, and belongs to this node.
     *
     * @return the answer instead of taking it; null when the node takes it
     * @throws OperationFailedException when the sender knows a later directory
     */
    @Nullable
    ShipAnswer check(SstFile sst, long epoch, RangeDirectory directory) {
        ShipAnswer moved = checkEpoch(epoch, directory);
        if (moved != null || directory.ranges().isEmpty()) {
            return moved;
        }
        int range = directory.rangeOf(sst.smallestKey());
        if (range != directory.rangeOf(sst.largestKey())) {
            return new ShipAnswer.Refused(
                    "SST " + sst.id() + " has keys in several ranges of epoch " + epoch
                            + ", the first of which ends at "
                            + hex(directory.span(range).end()) + "; cut it there",
                    LIMITER);
        }
        if (!directory.ranges().get(range).nodes().contains(nodeId)) {
            return new ShipAnswer.Refused(
                    "SST " + sst.id() + " lies in the range from "
                            + hex(directory.span(range).start()) + ", which this node, " + nodeId
                            + ", does not hold; send it to those that do",
                    LIMITER);
        }
        return null;
    }

    /** Checks the epoch alone. */
    @Nullable
    ShipAnswer checkEpoch(long epoch, RangeDirectory directory) {
        if (epoch > directory.epoch()) {
            throw new OperationFailedException("the sender has the directory of epoch " + epoch
                    + ", this node that of epoch " + directory.epoch() + "; assign it here first");
        }
        return epoch < directory.epoch() ? new ShipAnswer.Moved(directory) : null;
    }

    boolean sameAs(RangeDirectory known, RangeDirectory directory) {
        return known.equals(directory);
    }

    /**
     * Checks that a directory may replace the known one.
     *
     * @param taken visits the bounds of all KVs that the node has taken
     * @throws OperationFailedException when its epoch is not higher, or KVs that the node has taken would belong to
     *     others
     */
    void checkRefines(RangeDirectory known, RangeDirectory directory, Consumer<Consumer<KeyBounds>> taken) {
        if (directory.epoch() <= known.epoch()) {
            throw new OperationFailedException("the directory of epoch " + directory.epoch()
                    + " cannot be assigned: this node knows "
                    + (directory.epoch() == known.epoch()
                            ? "another one of that epoch"
                            : "that of epoch " + known.epoch())
                    + "; read it, and give yours a higher epoch");
        }
        taken.accept(bounds -> {
            if (!holds(directory, bounds)) {
                throw new OperationFailedException("the directory of epoch " + directory.epoch()
                        + " cannot be assigned: this node, " + nodeId + ", has taken keys from "
                        + hex(bounds.smallest())
                        + " to " + hex(bounds.largest()) + ", and would not hold all of them");
            }
        });
    }

    private boolean holds(RangeDirectory directory, KeyBounds bounds) {
        if (directory.ranges().isEmpty()) {
            return true;
        }
        int last = directory.rangeOf(bounds.largest());
        for (int range = directory.rangeOf(bounds.smallest()); range <= last; range++) {
            if (!directory.ranges().get(range).nodes().contains(nodeId)) {
                return false;
            }
        }
        return true;
    }

    private static String hex(byte[] key) {
        return HexFormat.of().formatHex(key);
    }
}
