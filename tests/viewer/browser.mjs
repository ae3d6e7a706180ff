// A page in headless Chromium, watched: its log, its requests and its failures are kept.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inflateSync } from 'node:zlib';

const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const SOFTWARE_GL = ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'];

export async function launch(modules, args = SOFTWARE_GL) {
  const executablePath = process.env.SIGHTLINE_CHROMIUM ?? BROWSERS.find(existsSync);
  if (!executablePath)
    throw new Error(`no Chromium (looked for ${BROWSERS.join(', ')}); install Debian's package 'chromium', as ./dev test does`);
  const { chromium } = createRequire(join(modules, 'package.json'))('playwright-core');
  return chromium.launch({ executablePath, args });
}

export async function open(browser, path, { hash = '', wait = true, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: 'light', reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  page.noise = [];
  page.on('console', (message) => page.noise.push(`console ${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => page.noise.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => { page.noise.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on('request', (request) => {
    if (!request.url().startsWith('data:') && request.url().split('#')[0] !== pathToFileURL(path).href) page.noise.push(`request: ${request.url()}`);
  });
  await page.goto(pathToFileURL(path).href + hash);
  if (wait) await page.waitForSelector('#app[aria-busy=false]', { timeout: 60000 });
  return page;
}

/// The pixels of a PNG of 8 bits a channel, as Chromium writes them.
export function decode(png) {
  let at = 8, width = 0, height = 0, channels = 4;
  const data = [];
  while (at < png.length) {
    const length = png.readUInt32BE(at), type = png.toString('latin1', at + 4, at + 8), body = png.subarray(at + 8, at + 8 + length);
    if (type === 'IHDR') [width, height, channels] = [body.readUInt32BE(0), body.readUInt32BE(4), body[9] === 6 ? 4 : 3];
    if (type === 'IDAT') data.push(body);
    at += 12 + length;
  }
  const raw = inflateSync(Buffer.concat(data)), stride = width * channels, out = new Uint8Array(stride * height);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)];
    for (let x = 0; x < stride; x++) {
      const value = raw[y * (stride + 1) + 1 + x];
      const a = x >= channels ? out[y * stride + x - channels] : 0, b = y > 0 ? out[(y - 1) * stride + x] : 0;
      const c = x >= channels && y > 0 ? out[(y - 1) * stride + x - channels] : 0;
      const p = a + b - c, pa = Math.abs(p - a), pb = Math.abs(p - b), pc = Math.abs(p - c);
      const paeth = pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
      out[y * stride + x] = value + [0, a, b, (a + b) >> 1, paeth][filter];
    }
  }
  return { width, height, channels, data: out, at: (x, y) => [...out.subarray((y * width + x) * channels, (y * width + x) * channels + 3)] };
}

/// What the middle of the model's view looks like (`share` of its width and height).
export async function middle(page, share = 0.5, rest = true) {
  await page.evaluate(() => new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(done)); }));
  if (rest) await page.waitForFunction(() => !globalThis.sightline?.stage || (!globalThis.sightline.stage.restless && !globalThis.sightline.stage.waiting));
  const box = await page.locator('#view').boundingBox();
  const clip = { x: box.x + (box.width * (1 - share)) / 2, y: box.y + (box.height * (1 - share)) / 2, width: box.width * share, height: box.height * share };
  return decode(await page.screenshot({ clip }));
}

/// How many pixels differ by more than a shade.
export function different(a, b) {
  if (a.width !== b.width || a.height !== b.height) return Infinity;
  let count = 0;
  for (let i = 0; i < a.data.length; i += a.channels)
    if (Math.abs(a.data[i] - b.data[i]) + Math.abs(a.data[i + 1] - b.data[i + 1]) + Math.abs(a.data[i + 2] - b.data[i + 2]) > 24) count++;
  return count;
}

export function count(picture, is) {
  let n = 0;
  for (let i = 0; i < picture.data.length; i += picture.channels) if (is(picture.data[i], picture.data[i + 1], picture.data[i + 2])) n++;
  return n;
}
