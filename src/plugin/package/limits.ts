const MIB = 1024 * 1024;

/** Bounds of a package, over everything that counts (see `walkPackage`). Design study, section 10. */
export const MAX_FILES = 500;
export const MAX_FOLDERS = 500;
export const MAX_DEPTH = 32;
export const MAX_TOTAL_BYTES = 10 * MIB;
export const MAX_MODULE_BYTES = 2 * MIB;

/** Problems that are told of one package; after that many the rest would be noise. */
export const MAX_PROBLEMS = 20;
