/** What differs from POSIX shells, for a model that writes Nushell now and then. */
export const NOTES = `Nushell in short

Only the value of the last statement is printed; print VALUE for others. A command line that fails ends the script.
Values are structured: numbers, strings, lists, records, tables, dates (datetime), durations (3min), sizes (2mb). Pipelines carry values, not text.
  ls | where size > 10kb and type == file | sort-by modified | select name size
  open data.json | get items | where price < 5 | length
  open people.csv | group-by city | transpose city rows | insert count {|row| $row.rows | length } | reject rows
Files: open FILE reads by extension (json, csv, tsv, toml, yaml, xml, sqlite); open --raw FILE is text. VALUE | save FILE (--force to replace, --append).
Convert: from json, to json, from csv, to csv, to md, to text; lines, split row ",", split column " ", parse "{name}: {value}", str trim, str replace, into int.
Lists and tables: get, select, reject, where, sort-by, reverse, first 3, last 3, skip 2, length, uniq, flatten, each {|it| ... }, reduce --fold 0 {|it, acc| $acc + $it },
  math sum, math avg, update COLUMN {|row| ... }, insert, rename, merge, append, enumerate, group-by, transpose, find TEXT, any {|it| ... }, all.
Variables: let x = 5 (fixed), mut y = 0; $x. Strings: 'raw', "with \\n", $"sum: ($x + 1)". Parts: $record.name, $list.0, $record.maybe?. Environment: $env.HOME, $env.PATH.
Control: if $x > 3 { } else { }, match $x { 1 => "a", _ => "b" }, for x in 1..3 { }, while, try { ... } catch {|e| $e.msg }. Functions: def name [a: int, --flag] { ... }.
Not as in bash: no && and || between commands (use ; or if), no $(...) but (...), no backticks, no > FILE but | save FILE, no export but $env.NAME = value,
  no test and [ ], no here documents; ^git status runs the external program when a built-in has its name; ^cmd | complete gives {stdout, stderr, exit_code}.
Globs: ls **/*.rs, glob "**/*.md". Paths: path join, path basename, path exists. Processes: ps | where cpu > 10. Web: http get is there, too.
Help: help COMMAND, help commands | where name =~ str.`;
