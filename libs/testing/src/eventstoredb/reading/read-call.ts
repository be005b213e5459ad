import type { handleServerStreamingCall } from '@grpc/grpc-js';
import type * as messages from '@eventstore/db-client/generated/streams_pb.js';
import type { Double } from '../double.js';
import { readAll } from './read-all.js';
import { readStream } from './read-stream.js';
import { followAll } from './subscription.js';

/**
 * Handles reads of streams and of `$all`, in both directions, and subscriptions to `$all`. It waits
 * for clients that read slowly.
 */
export const readCall =
  (double: Double): handleServerStreamingCall<messages.ReadReq, messages.ReadResp> =>
  (call) => {
    const refused = double.refusal(call.metadata);
    const options = call.request.getOptions();
    if (refused !== undefined || options === undefined)
      return void call.emit('error', refused ?? new Error('no options'));
    const reading = options.hasStream()
      ? readStream(double, call, options)
      : options.hasSubscription()
        ? followAll(double, call, options)
        : readAll(double, call, options);
    reading.then(
      () => call.end(),
      (error: unknown) => call.emit('error', error),
    );
  };
