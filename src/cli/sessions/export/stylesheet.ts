/** The page's only style: system fonts, both colour schemes, narrow screens and paper. Loads nothing. */
export const STYLESHEET = `
:root {
  color-scheme: light dark;
  --page: #fbfaf8; --ink: #1d1f23; --soft: #5d626b; --line: #dedbd5; --panel: #f2f0ec; --accent: #0b5cad;
  --bad: #a8201a; --bad-panel: #fbe9e7; --unsure: #8a5300; --add: #116329; --add-panel: #e3f5e6; --del: #a8201a; --del-panel: #fdeceb;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #16181c; --ink: #e3e5e8; --soft: #9aa1ab; --line: #33373e; --panel: #1f2228; --accent: #7ab8f5;
    --bad: #ff8a80; --bad-panel: #3a2020; --unsure: #f0b35a; --add: #7ee19a; --add-panel: #16301f; --del: #ff9d96; --del-panel: #371e1f;
  }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 52rem; padding: 2rem 1.25rem 4rem; background: var(--page); color: var(--ink);
  font: 1rem/1.6 system-ui, -apple-system, "Segoe UI", sans-serif; overflow-wrap: break-word; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 1rem; }
h2 { font-size: 0.85rem; font-weight: 600; margin: 0; }
h3, h4, h5 { line-height: 1.3; margin: 1.4em 0 0.5em; }
h3 { font-size: 1.25rem; } h4 { font-size: 1.1rem; } h5 { font-size: 1rem; }
a { color: var(--accent); }
pre, code, .mono { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; font-size: 0.85rem; }
pre { margin: 0.6rem 0; padding: 0.75rem 0.9rem; background: var(--panel); border: 1px solid var(--line); border-radius: 6px;
  overflow-x: auto; line-height: 1.45; tab-size: 4; }
:not(pre) > code { background: var(--panel); border-radius: 4px; padding: 0.1em 0.3em; }
blockquote { margin: 0.8rem 0; padding-left: 1rem; border-left: 3px solid var(--line); color: var(--soft); }
table { border-collapse: collapse; } th, td { border: 1px solid var(--line); padding: 0.3rem 0.6rem; text-align: left; vertical-align: top; }
.wide { overflow-x: auto; }
.verbatim { white-space: pre-wrap; }
.href, time, .soft, .spent { color: var(--soft); } .spent { font-size: 0.8rem; }
.href { font-size: 0.85rem; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.2rem 1rem; margin: 0; font-size: 0.9rem; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
header { padding-bottom: 1.5rem; border-bottom: 1px solid var(--line); }
footer { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line); color: var(--soft); font-size: 0.85rem; }
article, aside { margin: 1.5rem 0; scroll-margin-top: 1rem; }
article:target, aside:target { outline: 2px solid var(--accent); outline-offset: 0.5rem; border-radius: 4px; }
.bar { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0.2rem 0.75rem; margin-bottom: 0.4rem; font-size: 0.85rem; }
.bar time { margin-left: auto; font-size: 0.8rem; }
.bar time a { color: inherit; text-decoration: none; } .bar time a:hover { text-decoration: underline; }
.prompt { padding: 0.9rem 1.1rem; background: var(--panel); border-left: 4px solid var(--accent); border-radius: 6px; }
.tool { padding: 0.6rem 0.9rem; border: 1px solid var(--line); border-radius: 6px; }
.tool .bar { margin: 0; } .tool.bad { border-color: var(--bad); } .tool.unsure { border-color: var(--unsure); }
.tool + .tool { margin-top: -0.75rem; }
.summary { overflow-wrap: anywhere; }
.badge { color: var(--soft); } .badge.bad { color: var(--bad); font-weight: 600; } .badge.unsure { color: var(--unsure); font-weight: 600; }
.error { margin: 0.8rem 0; padding: 0.7rem 0.9rem; background: var(--bad-panel); border-left: 4px solid var(--bad); border-radius: 6px; }
.error p { margin: 0.2rem 0; } .error p:first-child { font-weight: 600; }
aside { padding-left: 1rem; border-left: 3px solid var(--line); font-size: 0.9rem; }
aside.gap { border-color: var(--bad); color: var(--bad); }
details { margin: 0.5rem 0; } summary { cursor: pointer; color: var(--soft); font-size: 0.85rem; }
.thinking { padding-left: 1rem; border-left: 3px solid var(--line); color: var(--soft); font-size: 0.92rem; }
.diff span { display: block; min-height: 1.45em; } .diff .add { color: var(--add); background: var(--add-panel); }
.diff .del { color: var(--del); background: var(--del-panel); } .diff .hunk { color: var(--soft); }
img { display: block; max-width: 100%; height: auto; margin: 0.8rem 0; border: 1px solid var(--line); border-radius: 6px; }
@media print {
  :root { color-scheme: light; --page: #fff; --ink: #000; --soft: #444; --line: #bbb; --panel: #f6f6f6; --accent: #000;
    --bad: #900; --bad-panel: #fff; --unsure: #630; --add: #060; --add-panel: #fff; --del: #900; --del-panel: #fff; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; overflow: visible; }
  h2, .bar { break-after: avoid; } .prompt, img, .error { break-inside: avoid; }
  details::details-content { content-visibility: visible; block-size: auto; }
}
`;
