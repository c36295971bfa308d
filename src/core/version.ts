/** The engine's version, equal to package.json's by a test, and the version of the report's format. */

export const ENGINE_VERSION = "0.1.0";
/** Raised by every change that alters the bytes of a result. */
export const REPORT_VERSION = 4;
export const RUN_FORMAT = "blindcast.run/1";
export const ENTRY_FORMAT = "blindcast.entry/1";
