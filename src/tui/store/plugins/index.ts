/**
 * store/plugins: what plugins bring to the state, and the pages on which a person looks after them.
 * Promises: pure; nothing is approved, removed or trusted without a page that shows all of it. Must never know: how any of it is done.
 * Read first: page.ts, pages.ts, contributed.ts.
 */
export { chooseTheme, contributed, pluginsChanged } from "./contributed.js";
export { adminNews } from "./news.js";
export type { AdminDeed, AdminNews, Page, PluginsPage, SurePage } from "./page.js";
export { actOnPage, askTrust, chosenRow, openPlugins, pluginsPage, surePage } from "./pages.js";
