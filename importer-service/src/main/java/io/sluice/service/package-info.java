/** The import service: jobs that survive a restart, a REST API to create and watch them, and a console. */
@NullMarked
package io.sluice.service;

import org.jspecify.annotations.NullMarked;
