/** A path below the person's home folder begins with `~`. */
export const shortPath = (path: string, home: string | undefined): string =>
  home !== undefined && home !== "" && (path === home || path.startsWith(`${home}/`)) ? `~${path.slice(home.length)}` : path;
