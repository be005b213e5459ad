import type {
  handleBidiStreamingCall,
  handleClientStreamingCall,
  handleUnaryCall,
} from '@grpc/grpc-js';
import type * as messages from '@eventstore/db-client/generated/streams_pb.js';
import { appendCall } from './append-call.js';
import { streamOf } from './append-request.js';
import { batchAppendCall } from './batch-append-call.js';
import type { Double } from '../double.js';
import { DeleteResp, Empty, TombstoneResp } from '../protocol.js';

interface AppendCalls {
  readonly append: handleClientStreamingCall<messages.AppendReq, messages.AppendResp>;
  readonly batchAppend: handleBidiStreamingCall<messages.BatchAppendReq, messages.BatchAppendResp>;
  readonly delete: handleUnaryCall<messages.DeleteReq, messages.DeleteResp>;
  readonly tombstone: handleUnaryCall<messages.TombstoneReq, messages.TombstoneResp>;
}

/** Returns the handlers of every call that writes. */
export const appendCalls = (double: Double): AppendCalls => ({
  append: appendCall(double),
  batchAppend: batchAppendCall(double),

  delete: (call, respond) => {
    const refused = double.refusal(call.metadata);
    if (refused !== undefined) return respond(refused);
    double.store.softDelete(streamOf(call.request.getOptions()?.getStreamIdentifier()));
    double.groups.received(1);
    respond(null, new DeleteResp().setNoPosition(new Empty()));
  },

  tombstone: (call, respond) => {
    const refused = double.refusal(call.metadata);
    if (refused !== undefined) return respond(refused);
    double.store.tombstone(streamOf(call.request.getOptions()?.getStreamIdentifier()));
    double.groups.received(1);
    respond(null, new TombstoneResp().setNoPosition(new Empty()));
  },
});
