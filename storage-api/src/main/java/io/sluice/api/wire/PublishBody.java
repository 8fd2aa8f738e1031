package io.sluice.api.wire;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a table is published with: the body of {@link ImportStep#PUBLISH}.
 *
 * @param imported what each index adds up to, the primary first
 */
public record PublishBody(@Nullable List<ChecksumBody> imported) {}
