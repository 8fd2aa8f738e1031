package io.sluice.api.wire;

import io.sluice.api.error.BadInputException;
import io.sluice.api.node.RangeDirectory;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A range directory.
 *
 * @param epoch grows with every change
 * @param ranges in key order; empty when one node holds everything
 */
public record DirectoryBody(long epoch, @Nullable List<RangeBody> ranges) {
    /**
     * One range.
     *
     * @param start its first key in hexadecimal; it ends where the next range begins
     * @param nodes ids of the nodes that hold it
     */
    public record RangeBody(
            @Nullable String start, @Nullable List<String> nodes) {
        RangeDirectory.Range toRange() {
            return new RangeDirectory.Range(
                    Wire.key("start", Wire.required("start", start)), Wire.required("nodes", nodes));
        }
    }

    public static DirectoryBody of(RangeDirectory directory) {
        return new DirectoryBody(
                directory.epoch(),
                directory.ranges().stream()
                        .map(range -> new RangeBody(Wire.hex(range.start()), range.nodes()))
                        .toList());
    }

    /**
     * The directory that this says.
     *
     * @throws BadInputException when ranges are missing, malformed or out of order
     */
    public RangeDirectory toDirectory() {
        List<RangeDirectory.Range> all =
                Wire.required("ranges", ranges).stream().map(RangeBody::toRange).toList();
        try {
            return new RangeDirectory(epoch, all);
        } catch (IllegalArgumentException e) {
            throw new BadInputException("directory: " + e.getMessage(), e);
        }
    }
}
