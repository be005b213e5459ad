import { setMaxListeners } from 'node:events';
import { parseArgs } from 'node:util';
import pc from 'picocolors';
import { ledgerTable } from './ledger-table.js';
import { openLiveScreen } from './live-screen.js';
import { openPlainLines } from './plain-lines.js';
import { runDemo } from './run-demo.js';

const help = `npm run demo -- [--seconds N] [--seed N] [--tamper] [--plain]

A day of a shop against a real service with an empty folder. Ends with 0 when what was sent, stored, counted and delivered agrees.

  --seconds N  how long the day takes (40 on a terminal, else as fast as it goes)
  --seed N     another day (1)
  --tamper     change one webhook on its way: the ledger must notice, and the end is 1
  --plain      plain lines on a terminal too
`;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string' },
    seed: { type: 'string', default: '1' },
    tamper: { type: 'boolean', default: false },
    plain: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  process.stdout.write(help);
  process.exit(0);
}

const live = process.stdout.isTTY && !values.plain;
const colors = pc.createColors(process.stdout.isTTY === true && pc.isColorSupported);
const interrupted = new AbortController();
// Every request in progress listens to this signal.
setMaxListeners(0, interrupted.signal);
// Ignore further signals while the demonstration cleans up.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => interrupted.abort(signal));
// The terminal was closed, or the reader of a pipe has read enough.
for (const output of [process.stdout, process.stderr])
  output.on('error', () => interrupted.abort('nobody reads'));

const show = live
  ? openLiveScreen(process.stdout, colors)
  : openPlainLines((text) => void process.stdout.write(text));
try {
  const ledger = await runDemo({
    seed: Number(values.seed),
    seconds: Number(values.seconds ?? (live ? 40 : 0)),
    tamper: values.tamper,
    show,
    signal: interrupted.signal,
  });
  show.close();
  process.stdout.write(`\n${ledgerTable(ledger, colors)}`);
  process.exitCode = ledger.agrees ? 0 : 1;
} catch (error) {
  show.close();
  if (interrupted.signal.aborted) process.stderr.write('Stopped; nothing is left behind.\n');
  else
    process.stderr.write(
      `The demonstration failed: ${error instanceof Error ? error.stack : String(error)}\n`,
    );
  process.exitCode = interrupted.signal.aborted ? 130 : 1;
}
