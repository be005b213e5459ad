import type { handleBidiStreamingCall, ServerDuplexStream } from '@grpc/grpc-js';
import type * as messages from '@eventstore/db-client/generated/streams_pb.js';
import type { Append, ProposedRecord } from './append-check.js';
import { expectedOf, faultOf, proposedRecord, streamOf } from './append-request.js';
import { fillFault, fillResult, fillTimeout } from './batch-append-response.js';
import type { Double } from '../double.js';
import { BatchAppendResp } from '../protocol.js';
import { connectionLost } from '../rpc-errors.js';

type BatchAppendCall = ServerDuplexStream<messages.BatchAppendReq, messages.BatchAppendResp>;

/** An append whose last message has not arrived yet. */
interface OpenAppend extends Append {
  readonly events: ProposedRecord[];
  /** Milliseconds since the epoch. */
  readonly deadline: number;
}

/** Handles many appends on one call, each in one or more messages with the same correlation id. */
export const batchAppendCall =
  ({
    groups,
    refusal,
  }: Double): handleBidiStreamingCall<messages.BatchAppendReq, messages.BatchAppendResp> =>
  (call) => {
    const refused = refusal(call.metadata);
    if (refused !== undefined) return void call.emit('error', refused);
    const endLate = (): void => void call.emit('error', connectionLost());
    groups.on('leaderless', endLate);
    call.once('close', () => groups.off('leaderless', endLate));
    const open = new Map<string, OpenAppend>();
    call.on('data', (request: messages.BatchAppendReq) => {
      // the server checks for every append who leads, and a refusal ends the whole call
      const late = refusal(call.metadata);
      if (late !== undefined) return void call.emit('error', late);
      const append = completed(open, request);
      if (append !== undefined) carryOut(append, groups, respondTo(call, request));
    });
    // as on the server, a client that half-closes loses the responses that have not been sent yet
    call.on('end', () => call.end());
    call.on('error', () => undefined);
  };

type Respond = (fill: (response: messages.BatchAppendResp) => void) => void;

/** Adds the message to its append. Returns the append if this was its last message. */
const completed = (
  open: Map<string, OpenAppend>,
  request: messages.BatchAppendReq,
): OpenAppend | undefined => {
  const key = correlationKey(request);
  const options = request.getOptions();
  if (options !== undefined)
    open.set(key, {
      stream: streamOf(options.getStreamIdentifier()),
      events: [],
      expected: expectedOf(options, options.getStreamPosition()),
      deadline: options.getDeadline()?.toDate().getTime() ?? Infinity,
    });
  const append = open.get(key);
  append?.events.push(...request.getProposedMessagesList().map(proposedRecord));
  if (!request.getIsFinal()) return undefined;
  open.delete(key);
  return append;
};

const correlationKey = (request: messages.BatchAppendReq): string => {
  const id = request.getCorrelationId();
  if (id?.hasString() === true) return id.getString();
  const bits = id?.getStructured();
  return `${bits?.getMostSignificantBits()}/${bits?.getLeastSignificantBits()}`;
};

const respondTo =
  (call: BatchAppendCall, request: messages.BatchAppendReq): Respond =>
  (fill) => {
    const response = new BatchAppendResp();
    response.setCorrelationId(request.getCorrelationId());
    response.setStreamIdentifier(request.getOptions()?.getStreamIdentifier());
    fill(response);
    if (!call.cancelled) call.write(response);
  };

const carryOut = (append: OpenAppend, groups: Double['groups'], respond: Respond): void => {
  const fault = faultOf(append.events);
  if (fault !== undefined) return respond((response) => fillFault(response, fault));
  if (append.deadline <= Date.now()) return respond(fillTimeout);
  groups.append(append, (result) => respond((response) => fillResult(response, append, result)));
};
