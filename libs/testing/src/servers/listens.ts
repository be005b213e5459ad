import { connect } from 'node:net';

/** Whether a server accepts connections on a port of 127.0.0.1. */
export const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const done = (does: boolean) => () => {
      socket.destroy();
      resolve(does);
    };
    socket.once('connect', done(true)).once('error', done(false)).setTimeout(1_000, done(false));
  });
