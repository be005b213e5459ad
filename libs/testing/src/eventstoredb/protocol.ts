import gossipPb from '@eventstore/db-client/generated/gossip_pb.js';
import featuresPb from '@eventstore/db-client/generated/serverfeatures_pb.js';
import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import statusPb from '@eventstore/db-client/generated/status_pb.js';
import streamsPb from '@eventstore/db-client/generated/streams_pb.js';

// The generated messages are CommonJS, and Node cannot detect their named exports: each module is
// imported as one object.
export const { BatchAppendResp, AppendResp, ReadResp, DeleteResp, TombstoneResp, ReadReq } =
  streamsPb;
export const {
  AllStreamPosition,
  Empty,
  StreamIdentifier,
  UUID,
  WrongExpectedVersion,
  StreamDeleted,

  Timeout,
  Unknown,
  MaximumAppendSizeExceeded,
  BadRequest,
} = sharedPb;
export const { Status } = statusPb;
export const { ClusterInfo, EndPoint, MemberInfo } = gossipPb;
export const { SupportedMethod, SupportedMethods } = featuresPb;
