// Leaves resources open, which a test may not do; open-handles.e2e-spec.ts runs it.
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { Worker } from 'node:worker_threads';

it('leaves a server, a process and a thread', () => {
  createServer().listen(0, '127.0.0.1');
  spawn('sleep', ['600'], { stdio: 'ignore' });
  new Worker('setInterval(() => undefined, 1_000)', { eval: true });
});
