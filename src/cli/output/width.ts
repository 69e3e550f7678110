/** Width of help where no terminal says its own, and of the help that the build renders. */
export const HELP_COLUMNS = 100;
