// node run.mjs CASE... --modules FOLDER --tool PATH --samples PATH --work FOLDER
// The cases are in cases.mjs; each has a folder of its own for its pages.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { launch } from './browser.mjs';
import { cases } from './cases.mjs';

const names = [], options = {};
for (let i = 2; i < process.argv.length; i++) {
  if (process.argv[i].startsWith('--')) options[process.argv[i].slice(2)] = resolve(process.argv[++i]);
  else names.push(process.argv[i]);
}

let failed = 0;
for (const name of names.length > 0 ? names : Object.keys(cases)) {
  const folder = join(options.work, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const path = (file) => join(folder, file);
  /// Runs the tool; its exit status must be one of those expected.
  const tool = (args, expected = [0, 1]) => {
    const { status, stdout, stderr } = spawnSync(options.tool, args, { cwd: folder, encoding: 'utf8' });
    if (!expected.includes(status)) throw new Error(`sightline ${args.join(' ')}: exit status ${status}\n${stderr}`);
    return { status, stdout, stderr };
  };
  const samples = () => execFileSync(options.samples, [folder]);
  const opened = [];
  const browser = async (args) => { opened.push(await launch(options.modules, args)); return opened.at(-1); };
  try {
    await cases[name]({ path, tool, samples, browser, modules: options.modules });
    console.log(`ok ${name}`);
  } catch (error) {
    failed++;
    console.error(`FAILED ${name}: ${error.stack}`);
  }
  for (const one of opened) await one.close();
  if (failed === 0) rmSync(folder, { recursive: true, force: true });
}
process.exit(failed > 0 ? 1 : 0);
