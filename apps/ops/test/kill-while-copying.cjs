// Preloaded into `ops copy`: kills it as `kill -9` does, before the message to EventStoreDB that
// KILL_MESSAGE names, counted from 1 once KILL_AFTER exists.
const { existsSync } = require('node:fs');
const http2 = require('node:http2');
const { syncBuiltinESMExports } = require('node:module');

const { KILL_AFTER, KILL_MESSAGE } = process.env;
let messages = 0;

const count = () => {
  if (!existsSync(KILL_AFTER)) return;
  if (++messages === Number(KILL_MESSAGE)) process.kill(process.pid, 'SIGKILL');
};

/** Lets a method of an object do something before or after it. */
const wrap = (owner, name, wrapped) => {
  const original = owner[name];
  owner[name] = function (...args) {
    return wrapped(() => original.apply(this, args));
  };
};
wrap(http2, 'connect', (connect) => {
  const session = connect();
  wrap(session, 'request', (request) => {
    const stream = request();
    wrap(stream, 'write', (write) => {
      count();
      return write();
    });
    return stream;
  });
  return session;
});
syncBuiltinESMExports();
