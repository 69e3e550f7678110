/** Replaced by the build with the version of the package. */
declare const SMITH_VERSION: string | undefined;

/** `0.0.0` where the sources run without a build, as in unit tests. */
export const VERSION: string = typeof SMITH_VERSION === "string" ? SMITH_VERSION : "0.0.0";
