// `npm start`: runs the service with all its roles on the embedded engines. With a role
// (`npm run start:gateway`): runs only that one, on the engines that all roles share.
import { buildAndRun } from './build-and-run.mjs';

const [role = 'standalone'] = process.argv.slice(2);
await buildAndRun(`bundle/${role}.js`);
