/** The least an interface does: alternate screen, one frame, raw keys echoed. Ends with Ctrl-C. */
process.stdin.setRawMode(true);
const rows = Array.from({ length: process.stdout.rows - 1 }, () => "").join("\r\n");
process.stdout.write(`\x1b[?1049h\x1b[H${rows}\x1b[${process.stdout.rows};1H> ready `);
process.stdin.on("data", (bytes) => {
  if (bytes.includes(3)) {
    process.stdout.write("\x1b[?1049l");
    process.exit(0);
  }
  process.stdout.write(bytes);
});
