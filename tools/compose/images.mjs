import { readFileSync } from 'node:fs';
import { answers } from '../servers/run-tool.mjs';
import { versions } from '../servers/servers-folder.mjs';
import { missingForStandIns, makeEngine, makeNode, standIns } from './stand-ins.mjs';

const [, base] = /^ARG BASE=(\S+)$/m.exec(
  readFileSync(new URL('../../deploy/Dockerfile', import.meta.url), 'utf8'),
);

const isPulled = (image) =>
  answers('docker', 'image', 'inspect', image) || answers('docker', 'pull', '--quiet', image);

/**
 * The images of the base and the engines: the named one where it is present or can be pulled,
 * otherwise a stand-in made now. Resolves to the base, the services that override the compose file,
 * and one line of text per image; or to `lacking`, the reason why there are no images.
 */
export const engineImages = async () => {
  const named = {
    base,
    eventstoredb: versions.eventstoredb.image,
    mongodb: versions.mongodb.image,
    kafka: versions.kafka.image,
  };
  const missing = Object.keys(named).filter((name) => !isPulled(named[name]));
  const lacks = missing.length > 0 ? missingForStandIns() : [];
  if (lacks.length > 0)
    return {
      lacking: `${missing.map((name) => named[name]).join(', ')} cannot be pulled. To build stand-ins, this machine needs ${lacks.join(', and ')}`,
    };
  const [, version] = /^node:([\d.]+)/.exec(base);
  const used = missing.includes('base') ? await makeNode(version) : base;
  const services = {};
  for (const name of missing.filter((name) => name !== 'base')) {
    services[name] = {
      image: await makeEngine(name, used),
      ...(name === 'eventstoredb' && {
        healthcheck: { test: ['CMD', 'bash', '-c', '</dev/tcp/127.0.0.1/2113'] },
      }),
    };
  }
  const notes = Object.entries(named).map(([name, image]) =>
    missing.includes(name)
      ? `${name}: A STAND-IN for ${image}, which cannot be pulled here: ${name === 'base' ? `Debian with Node.js ${version}` : standIns[name]}`
      : `${name}: ${image}`,
  );
  return { base: used, services, notes };
};
