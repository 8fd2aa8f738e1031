/**
 * Jobs: their states and who may change them, what of them is durable, and finding them again. Nothing here imports
 * anything; that is {@code io.sluice.service.run}.
 */
@NullMarked
package io.sluice.service.job;

import org.jspecify.annotations.NullMarked;
