/**
 * The number of a LIMIT that is bound: `LIMIT ${boundLimit}`. With a bare `LIMIT ?` SQLite looks at the number when it plans, and so compiles the
 * statement anew at every run, which costs more than most of our reads do (9 of 11 µs for one row).
 */
export const boundLimit = '? + 0';
