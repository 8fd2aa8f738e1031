@NullMarked
package io.sluice.node.apply;

import org.jspecify.annotations.NullMarked;
