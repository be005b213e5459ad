import { setMaxListeners } from 'node:events';
import { parseArgs } from 'node:util';
import pc from 'picocolors';
import { ledgerTable } from './screen/ledger-table.js';
import { openLiveScreen } from './screen/live-screen.js';
import { openPlainLines } from './screen/plain-lines.js';
import { runDemo } from './run-demo.js';

const help = `npm run demo -- [--seconds N] [--seed N] [--tamper] [--plain]

Runs a shop's day against a real service with an empty directory. Exits with 0 if the orders sent, stored, counted and delivered agree.

  --seconds N  the length of the day (40 on a terminal, else as fast as possible)
  --seed N     the seed of the day (1)
  --tamper     alter one webhook in transit; the ledger must notice, and the exit code is 1
  --plain      print plain lines on a terminal too
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
  output.on('error', () => interrupted.abort('the reader of the output has closed it'));

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
  if (interrupted.signal.aborted)
    process.stderr.write('Stopped. All temporary files have been removed.\n');
  else
    process.stderr.write(
      `The demo failed: ${error instanceof Error ? error.stack : String(error)}\n`,
    );
  process.exitCode = interrupted.signal.aborted ? 130 : 1;
}
