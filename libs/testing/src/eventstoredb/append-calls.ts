import type {
  handleBidiStreamingCall,
  handleClientStreamingCall,
  handleUnaryCall,
} from '@grpc/grpc-js';
import { status as codes } from '@grpc/grpc-js';
import type { StreamIdentifier as StreamIdentifierMessage } from '@eventstore/db-client/generated/shared_pb.js';
import type * as messages from '@eventstore/db-client/generated/streams_pb.js';
import type { Append, AppendCheck, ProposedRecord } from './append-check.js';
import type { Double } from './double.js';
import {
  AllStreamPosition,
  AppendResp,
  BadRequest,
  BatchAppendResp,
  DeleteResp,
  Empty,
  MaximumAppendSizeExceeded,
  Status,
  StreamDeleted,
  Timeout,
  TombstoneResp,
  Unknown,
  WrongExpectedVersion,
} from './protocol.js';
import { connectionLost, maxAppendSizeExceeded, rpcError, streamDeleted } from './rpc-errors.js';

const maxAppendSize = 1_048_576;

interface AppendCalls {
  readonly append: handleClientStreamingCall<messages.AppendReq, messages.AppendResp>;
  readonly batchAppend: handleBidiStreamingCall<messages.BatchAppendReq, messages.BatchAppendResp>;
  readonly delete: handleUnaryCall<messages.DeleteReq, messages.DeleteResp>;
  readonly tombstone: handleUnaryCall<messages.TombstoneReq, messages.TombstoneResp>;
}

export const appendCalls = ({ store, groups, refusal }: Double): AppendCalls => ({
  append: (call, answer) => {
    const refused = refusal(call.metadata);
    if (refused !== undefined) return answer(refused);
    let target: Omit<Append, 'events'> | undefined;
    const events: ProposedRecord[] = [];
    call.on('data', (request: messages.AppendReq) => {
      const options = request.getOptions();
      if (options !== undefined)
        target = {
          stream: nameOf(options.getStreamIdentifier()),
          expected: options.hasAny()
            ? 'any'
            : options.hasStreamExists()
              ? 'exists'
              : options.hasNoStream()
                ? -1
                : Number(options.getRevision()),
        };
      const message = request.getProposedMessage();
      if (message !== undefined) events.push(proposed(message));
    });
    call.on('end', () => {
      if (target === undefined) return answer(rpcError(codes.INVALID_ARGUMENT, 'no options'));
      const append = { ...target, events };
      const fault = faultOf(events);
      if (fault === 'too_large') return answer(maxAppendSizeExceeded(maxAppendSize));
      if (fault !== undefined) return answer(rpcError(codes.INVALID_ARGUMENT, fault));
      groups.append(append, (check) => answerUnary(append, check, answer));
    });
  },

  batchAppend: (call) => {
    const refused = refusal(call.metadata);
    if (refused !== undefined) return void call.emit('error', refused);
    const endLate = (): void => void call.emit('error', connectionLost());
    groups.on('leaderless', endLate);
    call.once('close', () => groups.off('leaderless', endLate));
    const open = new Map<
      string,
      Append & { readonly events: ProposedRecord[]; readonly deadline: number }
    >();
    call.on('data', (request: messages.BatchAppendReq) => {
      // every append of a stream is asked anew who leads, and the answer ends them all
      const late = refusal(call.metadata);
      if (late !== undefined) return void call.emit('error', late);
      const id = request.getCorrelationId();
      const key =
        id?.hasString() === true
          ? id.getString()
          : `${id?.getStructured()?.getMostSignificantBits()}/${id?.getStructured()?.getLeastSignificantBits()}`;
      const options = request.getOptions();
      if (options !== undefined) {
        open.set(key, {
          stream: nameOf(options.getStreamIdentifier()),
          events: [],
          expected: options.hasAny()
            ? 'any'
            : options.hasStreamExists()
              ? 'exists'
              : options.hasNoStream()
                ? -1
                : Number(options.getStreamPosition()),
          deadline: options.getDeadline()?.toDate().getTime() ?? Infinity,
        });
      }
      const append = open.get(key);
      if (append === undefined) return;
      append.events.push(...request.getProposedMessagesList().map(proposed));
      if (!request.getIsFinal()) return;
      open.delete(key);
      const respond = (fill: (response: messages.BatchAppendResp) => void): void => {
        const response = new BatchAppendResp();
        response.setCorrelationId(id);
        response.setStreamIdentifier(options?.getStreamIdentifier());
        fill(response);
        if (!call.cancelled) call.write(response);
      };
      const fault = faultOf(append.events);
      if (fault === 'too_large')
        return respond((response) =>
          response.setError(
            errorOf(
              codes.INVALID_ARGUMENT,
              'MaximumAppendSizeExceeded',
              new MaximumAppendSizeExceeded().setMaxappendsize(maxAppendSize),
            ),
          ),
        );
      if (fault !== undefined)
        return respond((response) =>
          response.setError(
            errorOf(codes.INVALID_ARGUMENT, 'BadRequest', new BadRequest().setMessage(fault)),
          ),
        );
      if (append.deadline <= Date.now())
        return respond((response) =>
          response.setError(errorOf(codes.DEADLINE_EXCEEDED, 'Timeout', new Timeout())),
        );
      groups.append(append, (check) => respond((response) => fillBatch(response, append, check)));
    });
    // as the server does: who half-closes loses the answers that are not out yet
    call.on('end', () => call.end());
    call.on('error', () => undefined);
  },

  delete: (call, answer) => {
    const refused = refusal(call.metadata);
    if (refused !== undefined) return answer(refused);
    store.softDelete(nameOf(call.request.getOptions()?.getStreamIdentifier()));
    groups.look(1);
    answer(null, new DeleteResp().setNoPosition(new Empty()));
  },

  tombstone: (call, answer) => {
    const refused = refusal(call.metadata);
    if (refused !== undefined) return answer(refused);
    store.tombstone(nameOf(call.request.getOptions()?.getStreamIdentifier()));
    groups.look(1);
    answer(null, new TombstoneResp().setNoPosition(new Empty()));
  },
});

const nameOf = (identifier: StreamIdentifierMessage | undefined): string =>
  Buffer.from(identifier?.getStreamName_asU8() ?? []).toString();

const proposed = (
  message: messages.AppendReq.ProposedMessage | messages.BatchAppendReq.ProposedMessage,
): ProposedRecord => ({
  id: idOf(message),
  type: message.getMetadataMap().get('type') ?? '',
  contentType: message.getMetadataMap().get('content-type') ?? '',
  data: message.getData_asU8(),
  metadata: message.getCustomMetadata_asU8(),
});

const idOf = (
  message: messages.AppendReq.ProposedMessage | messages.BatchAppendReq.ProposedMessage,
): string => {
  const id = message.getId();
  if (id?.hasString() === true) return id.getString().toLowerCase();
  const hex = [
    id?.getStructured()?.getMostSignificantBits(),
    id?.getStructured()?.getLeastSignificantBits(),
  ]
    .map((bits) =>
      BigInt.asUintN(64, BigInt(bits ?? 0))
        .toString(16)
        .padStart(16, '0'),
    )
    .join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
};

const faultOf = (events: readonly ProposedRecord[]): string | undefined => {
  // counted as server 24 counts: a type is two bytes a character
  if (
    events.reduce(
      (sum, { type, data, metadata }) => sum + data.length + metadata.length + 2 * type.length,
      0,
    ) > maxAppendSize
  )
    return 'too_large';
  if (events.some(({ type }) => type === '')) return "Required Metadata Property 'type' is missing";
  if (events.some(({ contentType }) => contentType === ''))
    return "Required Metadata Property 'content-type' is missing";
  if (
    events.some(
      ({ id }) => !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id) || /^[0-]+$/.test(id),
    )
  )
    return 'Empty eventId provided.';
  return undefined;
};

const answerUnary = (
  { stream, expected }: Append,
  check: AppendCheck,
  answer: Parameters<AppendCalls['append']>[1],
): void => {
  switch (check.kind) {
    case 'append':
    case 'appended':
    case 'repeated': {
      const success = new AppendResp.Success().setCurrentRevision(
        String('revision' in check ? check.revision : -1),
      );
      const position = 'position' in check ? check.position : undefined;
      if (position === undefined) success.setNoPosition(new Empty());
      else
        success.setPosition(
          new AppendResp.Position()
            .setCommitPosition(String(position))
            .setPreparePosition(String(position)),
        );
      return answer(null, new AppendResp().setSuccess(success));
    }
    case 'wrong_expected_version': {
      const wrong = new AppendResp.WrongExpectedVersion();
      if (check.actual < 0) wrong.setCurrentNoStream(new Empty());
      else wrong.setCurrentRevision(String(check.actual));
      if (expected === 'any') wrong.setExpectedAny(new Empty());
      else if (expected === 'exists') wrong.setExpectedStreamExists(new Empty());
      else if (expected < 0) wrong.setExpectedNoStream(new Empty());
      else wrong.setExpectedRevision(String(expected));
      return answer(null, new AppendResp().setWrongExpectedVersion(wrong));
    }
    case 'stream_deleted':
      return answer(streamDeleted(stream));
    case 'timed_out':
      return answer(rpcError(codes.ABORTED, 'Operation timed out'));
    case 'invalid_transaction':
      return answer(
        rpcError(codes.INVALID_ARGUMENT, 'Invalid Transaction', {
          exception: 'invalid-transaction',
        }),
      );
  }
};

const fillBatch = (
  response: messages.BatchAppendResp,
  { expected }: Append,
  check: AppendCheck,
): void => {
  switch (check.kind) {
    case 'append':
    case 'appended':
    case 'repeated': {
      const success = new BatchAppendResp.Success().setCurrentRevision(
        String('revision' in check ? check.revision : -1),
      );
      const position = 'position' in check ? check.position : undefined;
      if (position === undefined) success.setNoPosition(new Empty());
      else success.setPosition(allPosition(position));
      return void response.setSuccess(success);
    }
    case 'wrong_expected_version': {
      const wrong = new WrongExpectedVersion();
      if (check.actual < 0) wrong.setCurrentNoStream(new Empty());
      else wrong.setCurrentStreamRevision(String(check.actual));
      if (typeof expected === 'string') wrong.setExpectedAny(new Empty());
      else if (expected < 0) wrong.setExpectedNoStream(new Empty());
      else wrong.setExpectedStreamPosition(String(expected));
      return void response.setError(errorOf(codes.ALREADY_EXISTS, 'WrongExpectedVersion', wrong));
    }
    case 'stream_deleted':
      return void response.setError(
        errorOf(
          codes.NOT_FOUND,
          'StreamDeleted',
          new StreamDeleted().setStreamIdentifier(response.getStreamIdentifier()),
        ),
      );
    case 'timed_out':
      return void response.setError(errorOf(codes.DEADLINE_EXCEEDED, 'Timeout', new Timeout()));
    // the server has no word of its own for this one in a batch
    case 'invalid_transaction':
      return void response.setError(errorOf(codes.UNKNOWN, 'Unknown', new Unknown()));
  }
};

const errorOf = (
  code: number,
  name: string,
  details: { serializeBinary(): Uint8Array },
): InstanceType<typeof Status> => {
  // Any is a class of protobuf's own library, and comes with an empty message that holds one
  const status = Status.deserializeBinary(Uint8Array.of(0x1a, 0));
  status.getDetails()?.pack(details.serializeBinary(), `event_store.client.${name}`);
  return status.setCode(code).setMessage(name);
};

const allPosition = (position: number) =>
  new AllStreamPosition().setCommitPosition(String(position)).setPreparePosition(String(position));
