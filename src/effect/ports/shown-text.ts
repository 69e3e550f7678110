/** Characters that move the cursor, reorder or hide text; line ends and tabs stay. */
const UNSHOWABLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu;

/** A text as people get to see it: what could control a terminal or hide something is one replacement mark each. */
export const shownText = (text: string): string => text.replaceAll("\r\n", "\n").replace(UNSHOWABLE, "\ufffd");
