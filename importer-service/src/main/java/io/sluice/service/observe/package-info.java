/** What a service leaves for those who run it: metrics, a line for each finished job, and who asked for what. */
@NullMarked
package io.sluice.service.observe;

import org.jspecify.annotations.NullMarked;
