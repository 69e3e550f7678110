/** Names of functions: a letter or underscore, then letters, digits, `_`, `.` and `-`, 64 in all (the API's own rule). */
const NAME = /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/u;
const ID = /^[A-Za-z0-9_-]{1,64}$/u;

/** The same name in the same form every time; unchanged when it is acceptable as it is. */
export const functionName = (name: string): string =>
  NAME.test(name) ? name : `_${cleaned(name).replace(/^_+/u, "")}`.slice(0, 54) + suffix(name);

/** The id of a call, whoever gave it: the same in call and result. */
export const callId = (id: string): string => (ID.test(id) ? id : cleaned(id).slice(0, 55) + suffix(id));

const cleaned = (text: string): string => text.replace(/[^A-Za-z0-9_-]/gu, "_");

/** Keeps two names apart that are the same once cleaned: FNV-1a of the original. */
function suffix(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return `_${(hash >>> 0).toString(16).padStart(8, "0")}`;
}
