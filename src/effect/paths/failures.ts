import type { Diagnostic } from "../../schema/index.js";
import { diagnostic } from "../../schema/index.js";

export const notFound = (path: string, next?: string): Diagnostic =>
  diagnostic({
    code: "fs.not-found",
    what: `${path} does not exist.`,
    why: "There is no file or folder of that name.",
    next: next ?? "List the folder or find the file by a part of its name.",
  });

export const notRegular = (path: string, kind: string): Diagnostic =>
  diagnostic({
    code: "fs.not-regular",
    what: `${path} is not a regular file but a ${kind}.`,
    why: "Only regular files are read, searched or changed: anything else could wait for ever or have effects of its own.",
    next: kind === "folder" ? "List it, or name a file in it." : "Name a regular file.",
  });

export const notFolder = (path: string): Diagnostic =>
  diagnostic({
    code: "fs.not-a-directory",
    what: `${path} is not a folder.`,
    why: "A folder is needed here, or a part of the path that should be a folder is none.",
    next: "Read the file, or name the folder it is in.",
  });

export const linkCycle = (path: string): Diagnostic =>
  diagnostic({
    code: "fs.link-cycle",
    what: `${path} goes through symbolic links that never end.`,
    why: "The links lead to each other (or there are more than 40 of them), so there is no file behind the name.",
    next: "Name the real file, or repair the link.",
  });

export const badPath = (path: string): Diagnostic =>
  diagnostic({
    code: "fs.bad-path",
    what: `${JSON.stringify(path)} is not a path.`,
    why: "A path must not be empty and must not hold a NUL.",
    next: "Give a path relative to the workspace or an absolute one.",
  });

export const movedAway = (path: string): Diagnostic =>
  diagnostic({
    code: "fs.moved",
    what: `${path} became something else while it was being opened.`,
    why: "A folder or link on the way was exchanged between the check of the path and its use, so nothing was read or changed.",
    next: "Try again.",
    retry: { type: "now" },
  });

const permission = (path: string, action: string): Diagnostic =>
  diagnostic({
    code: "fs.permission",
    what: `${path} could not be ${action}: permission denied.`,
    why: "The operating system does not allow it for this user.",
    next: "Choose another file, or ask the user to change its permissions.",
  });

const noSpace = (path: string): Diagnostic =>
  diagnostic({
    code: "fs.no-space",
    what: `${path} could not be written: no space left.`,
    why: "The disk is full, or a quota or the size files may have is reached; the old content is still in place.",
    next: "Ask the user to free space, then write again.",
  });

const readOnly = (path: string, action: string): Diagnostic =>
  diagnostic({
    code: "fs.read-only",
    what: `${path} could not be ${action}: its file system is read-only.`,
    why: "It was mounted so that nothing in it can be changed; nothing was.",
    next: "Choose another place, or ask the user to mount it otherwise.",
  });

const nameTooLong = (path: string): Diagnostic =>
  diagnostic({
    code: "fs.name-too-long",
    what: `${path.length > 80 ? `${path.slice(0, 80)}…` : path} is too long a name.`,
    why: "File systems take names of at most 255 bytes, and paths of at most 4096.",
    next: "Use a shorter name.",
  });

const systemRefused = (path: string, action: string, errno: string): Diagnostic =>
  diagnostic({
    code: "fs.failed",
    what: `${path} could not be ${action} (${errno}).`,
    why: "The operating system refused the request with that error.",
    next: "Check the path and the state of the disk, then try again.",
  });

/** `errno` name of a system error, or undefined for anything else. */
export const errnoOf = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;

/** A system error as a diagnostic; rethrows what is none. `action` is a participle: read, written. */
export function systemFailure(error: unknown, path: string, action: string): Diagnostic {
  const errno = errnoOf(error);
  switch (errno) {
    case undefined:
      throw error;
    case "ENOENT":
      return notFound(path);
    case "EACCES":
    case "EPERM":
      return permission(path, action);
    case "ELOOP":
      return linkCycle(path);
    case "ENOTDIR":
      return notFolder(path);
    case "EROFS":
      return readOnly(path, action);
    case "ENAMETOOLONG":
      return nameTooLong(path);
    case "ENOSPC":
    case "EFBIG":
    case "EDQUOT":
      return noSpace(path);
    default:
      return systemRefused(path, action, errno);
  }
}
