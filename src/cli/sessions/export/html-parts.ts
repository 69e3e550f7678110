import { type EntryId, shortId } from "../../../base/index.js";
import type { ImagePart } from "../../../schema/index.js";
import { utcMinute } from "./clean.js";
import { type Markup, markup } from "./markup.js";

interface Placed {
  readonly id: EntryId;
  readonly time: number;
}

/** The line above an entry: what it is, and when, which is also the link to it. */
export const bar = (words: Markup, entry: Placed): Markup => markup`<div class="bar">${words}${when(entry)}</div>`;

export const when = ({ id, time }: Placed): Markup => markup`<time><a href="#${id}">${utcMinute(time)}</a></time>`;

/** A link to another entry of the page. */
export const linkTo = (entry: EntryId): Markup => markup`<a class="mono" href="#${entry}">${shortId(entry)}</a>`;

/** Text as it is, in a box. A parser drops the first line end in it, so one is given to it. */
export const box = (text: string): Markup => markup`<pre>\n${text}</pre>`;

export function folded(summary: string, body: Markup, isOpen = false): Markup {
  return markup`<details${isOpen ? markup` open` : undefined}><summary>${summary}</summary>${body}</details>`;
}

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/u;

/** Images inside of the page; what is no base64 is only named. */
export const pictures = (parts: readonly ImagePart[] | undefined): readonly Markup[] =>
  (parts ?? []).map(({ mediaType, base64 }, index) => {
    const words = `image ${String(index + 1)}, ${mediaType}`;
    if (!BASE64.test(base64)) return markup`<p class="soft">[${words}, not readable]</p>`;
    return markup`<img alt="${words}" src="data:${mediaType};base64,${base64}">`;
  });
