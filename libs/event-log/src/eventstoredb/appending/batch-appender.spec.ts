import { EventEmitter } from 'node:events';
import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import type { BatchAppendReq } from '@eventstore/db-client/generated/streams_pb.js';
import { BatchAppender } from './batch-appender.js';
import { appendRequest } from './append-request.js';

/** A batch stream on which the test acts as the server. */
class Stream extends EventEmitter {
  readonly written: BatchAppendReq[] = [];
  write(message: BatchAppendReq): boolean {
    this.written.push(message);
    return true;
  }
  cancel(): void {}
  respond(correlationId: string, revision: number): void {
    this.emit(
      'data',
      new streamsPb.BatchAppendResp()
        .setCorrelationId(new sharedPb.UUID().setString(correlationId))
        .setSuccess(new streamsPb.BatchAppendResp.Success().setCurrentRevision(String(revision))),
    );
  }
}
const request = () => appendRequest({ stream: 'refledger.x', expected: 'no stream', events: [] });
const given = () => {
  const stream = new Stream();
  const ends: string[] = [];
  return { stream, ends, appender: new BatchAppender(stream, () => ends.push('ended')) };
};

const textOf = (bytes: Uint8Array | string = ''): string => Buffer.from(bytes).toString();

it('matches responses to appends in any order, and ignores unexpected ones', async () => {
  const { stream, appender } = given();
  const [first, second] = [request(), request()];
  const responses = [appender.send(first, 1_000), appender.send(second, 1_000)];
  expect(stream.written).toEqual([first.message, second.message]);
  stream.respond(crypto.randomUUID(), 9);
  stream.respond(second.correlationId, 2);
  stream.respond(first.correlationId, 1);
  stream.respond(first.correlationId, 7);
  expect(
    (await Promise.all(responses)).map((response) => response.getSuccess()?.getCurrentRevision()),
  ).toEqual(['1', '2']);
});

it.each([
  ['error', new Error('cut')],
  ['end', undefined],
])('rejects waiting and later appends after its %s', async (event, error) => {
  const { stream, appender, ends } = given();
  const waiting = appender.send(request(), 1_000);
  stream.emit(event, error);
  await expect(waiting).rejects.toThrow(error?.message ?? 'the server ended the call');
  await expect(appender.send(request(), 1_000)).rejects.toThrow();
  expect([ends, stream.written.length]).toEqual([['ended'], 1]);
});

it('waits for a response only for the given time, and ignores a late one', async () => {
  const { stream, appender } = given();
  const late = request();
  await expect(appender.send(late, 5)).rejects.toMatchObject({ name: 'TimeoutError' });
  stream.respond(late.correlationId, 1);
});

it('sends the expected revision and the ids unchanged, and no deadline by the local clock', () => {
  const { message } = appendRequest({
    stream: 'refledger.ü',
    expected: 4,
    events: [
      {
        id: '6f2f0d6e-0000-4000-8000-000000000001',
        type: 'a.b',
        data: '{"x":"ü"}',
        metadata: '{}',
      },
    ],
  });
  const options = message.getOptions();
  expect([
    options?.hasDeadline(),
    options?.getStreamPosition(),
    textOf(options?.getStreamIdentifier()?.getStreamName_asU8()),
    message.getIsFinal(),
  ]).toEqual([false, '4', 'refledger.ü', true]);
  const [event] = message.getProposedMessagesList();
  expect([
    event?.getId()?.getString(),
    event?.getMetadataMap().get('type'),
    event?.getMetadataMap().get('content-type'),
    textOf(event?.getData_asU8()),
  ]).toEqual(['6f2f0d6e-0000-4000-8000-000000000001', 'a.b', 'application/json', '{"x":"ü"}']);
});
