/** Does not start. */
process.stderr.write("reading settings\nno database at db.internal\n");
process.exitCode = 4;
