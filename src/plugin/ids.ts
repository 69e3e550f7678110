/** Of a plugin's id, and so of its folder's name: it stays one part of a path on every system and leads nowhere. */
export const PLUGIN_ID = /^(?=.{1,100}$)[a-z][a-z0-9-]*(\.[a-z][a-z0-9-]*)+$/u;

export const isPluginId = (text: string): boolean => PLUGIN_ID.test(text);

/** Ids that only the product gives away. */
export const isReservedId = (id: string): boolean => id.startsWith("smith.");
