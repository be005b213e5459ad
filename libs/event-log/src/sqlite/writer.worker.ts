import { performance } from 'node:perf_hooks';
import {
  parentPort,
  receiveMessageOnPort,
  workerData,
  type MessagePort,
} from 'node:worker_threads';
import { ChangeNotifier } from '@refledger/sqlite';
import type { EncodedAppend } from '../encode-append.js';
import type {
  GroupAnswer,
  PortMessage,
  WriterOrder,
  WriterReport,
  WriterStart,
} from './append.protocol.js';
import { failureOf } from './failure.js';
import { StreamChanges } from './stream-changes.js';
import { Writer } from './writer.js';

/**
 * Runs the writer's thread: it takes groups from all ports, commits those that arrived together in
 * one transaction, and answers.
 */
const run = (owner: MessagePort, { file, opening, changes }: WriterStart): void => {
  const writer = new Writer(file, opening, new StreamChanges(changes));
  const wake = new ChangeNotifier(file);
  const ports = new Set<MessagePort>();
  let waiting: { readonly port: MessagePort; readonly appends: readonly EncodedAppend[] }[] = [];

  const take = (port: MessagePort, message: PortMessage): void => {
    if (message.kind === 'port') return connect(message.port);
    if (waiting.length === 0) setImmediate(commit);
    waiting.push({ port, appends: message.appends });
  };

  const connect = (port: MessagePort): void => {
    ports.add(port);
    port.on('message', (message: PortMessage) => take(port, message));
    port.on('close', () => ports.delete(port));
  };

  const commit = (): void => {
    const groups = waiting;
    waiting = [];
    if (groups.length === 0) return;
    const started = performance.now();
    try {
      const answers = writer.commit(groups.flatMap(({ appends }) => appends));
      const commitMs = performance.now() - started;
      let from = 0;
      for (const { port, appends } of groups)
        port.postMessage({
          kind: 'committed',
          answers: answers.slice(from, (from += appends.length)),
          commitMs,
        } satisfies GroupAnswer);
      wake.notify();
    } catch (error) {
      const failure = failureOf(error);
      if (failure === undefined) throw error;
      for (const { port } of groups)
        port.postMessage({ kind: 'failed', failure } satisfies GroupAnswer);
    }
  };

  /** Messages sent before the order to close count as accepted. */
  const close = (): void => {
    for (const port of ports) for (const message of received(port)) take(port, message);
    commit();
    for (const port of ports) port.close();
    wake.close();
    owner.close();
    writer.close();
  };

  owner.on('message', (order: WriterOrder | PortMessage) =>
    order.kind === 'close' ? close() : take(owner, order),
  );
  owner.postMessage({ kind: 'opened' } satisfies WriterReport);
};

/** The messages of a port that were not taken yet. */
function* received(port: MessagePort): Generator<PortMessage> {
  for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port))
    yield next.message as PortMessage;
}

const start = (owner: MessagePort): void => {
  try {
    run(owner, workerData as WriterStart);
  } catch (error) {
    const failure = failureOf(error);
    if (failure === undefined) throw error;
    owner.postMessage({ kind: 'refused', failure } satisfies WriterReport);
    owner.close();
  }
};

if (parentPort !== null) start(parentPort);
