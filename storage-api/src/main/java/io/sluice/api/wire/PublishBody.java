package io.sluice.api.wire;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The body of {@link ImportStep#PUBLISH}.
 *
 * @param imported checksum of each index, the primary first
 */
public record PublishBody(@Nullable List<ChecksumBody> imported) {}
