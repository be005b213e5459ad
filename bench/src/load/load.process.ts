import { serveParent } from '../process/child.js';
import type { LoadPlan, LoadReport } from './load-plan.js';
import { runLoad } from './run-load.js';

serveParent<LoadPlan, LoadReport>(runLoad);
