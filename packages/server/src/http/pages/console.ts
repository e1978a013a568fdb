import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { Problem } from '@offhook/contract/problem.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { consoleFolder } from '#places.ts'
import { acceptedEncodings } from '../reply/send-json.ts'

const types: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
  '.png': 'image/png',
  '.webmanifest': 'application/manifest+json',
}

/** Files whose address does not change with their content: the web app manifest, its icons, and the service worker. */
const lasting = /^(?:sw\.js|manifest\.webmanifest|icons\/offhook-[a-z0-9-]+\.png)$/

/** In order of preference: the first one that the browser accepts and that exists. */
const encodings = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const

/** Own scripts only, no third-party resources, no frames. Mantine writes style elements; they carry the nonce. */
const policy = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "worker-src 'self' blob:",
    `style-src 'self' 'nonce-${nonce}'`,
    "connect-src 'self'",
    "img-src 'self' blob: data:",
    "media-src 'self' blob: data:",
    "font-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

/** The web console: every path below /console is the same page, which routes in the browser. */
export const mountConsole = (app: FastifyInstance, folder: string = consoleFolder): void => {
  for (const path of ['/', '/console']) app.get(path, (_request, reply) => reply.redirect('/console/', 303))
  app.get('/console/assets/:file', (request, reply) => sendAsset(folder, request, reply))
  app.get('/console/*', async (request, reply) => {
    const path = (request.params as { '*': string })['*']
    if (lasting.test(path)) return sendLasting(folder, path, reply)
    const nonce = randomBytes(16).toString('base64url')
    const [page, links] = await Promise.all([readFile(join(folder, 'index.html'), 'utf8').catch(() => notBuilt), linksFor(folder, path)])
    return reply
      .header('content-security-policy', policy(nonce))
      .header('referrer-policy', 'same-origin')
      .header('permissions-policy', 'microphone=(self), camera=(), geolocation=()')
      .header('cross-origin-opener-policy', 'same-origin')
      .type('text/html; charset=utf-8')
      .send(page.replaceAll('{{nonce}}', nonce).replace('</head>', `${links}</head>`))
  })
}

/** Format of the build. */
interface PageFiles {
  pattern: string
  files: readonly string[]
}

/** Preload links for the page at this address: fetched in parallel with the common files, at lower priority. */
const linksFor = async (folder: string, path: string): Promise<string> => {
  const pages = JSON.parse(await readFile(join(folder, 'pages.json'), 'utf8').catch(() => '[]')) as readonly PageFiles[]
  const { files = [] } = pages.find(({ pattern }) => new RegExp(pattern).test(`/${path}`)) ?? {}
  return files.map((file) => `<link rel="modulepreload" crossorigin fetchpriority="low" href="/console/${file}">`).join('')
}

/** Revalidated each time, so that an update is not missed. */
const sendLasting = async (folder: string, path: string, reply: FastifyReply): Promise<FastifyReply> => {
  const content = await readFile(join(folder, path)).catch(() => undefined)
  if (!content) throw new Problem('not_found')
  return reply
    .header('cache-control', 'no-cache')
    .type(types[extname(path)] ?? '')
    .send(content)
}

/** The name of an asset changes with its content, so it is cached for ever. */
const sendAsset = async (folder: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
  const { file } = request.params as { file: string }
  const type = types[extname(file)]
  if (!/^[\w.-]+$/.test(file) || type === undefined) throw new Problem('not_found')
  const path = join(folder, 'assets', file)
  const accepted = acceptedEncodings(request)
  for (const [encoding, ending] of encodings) {
    const content = accepted.has(encoding) ? await readFile(path + ending).catch(() => undefined) : undefined
    if (content) return send(reply.header('content-encoding', encoding), type, content)
  }
  const content = await readFile(path).catch(() => undefined)
  if (!content) throw new Problem('not_found')
  return send(reply, type, content)
}

const send = (reply: FastifyReply, type: string, content: Buffer): FastifyReply =>
  reply.header('cache-control', 'public, max-age=31536000, immutable').header('vary', 'accept-encoding').type(type).send(content)

const notBuilt = `<!doctype html>
<html lang="en">
  <meta charset="utf-8" />
  <meta name="viewport" content="width=device-width, initial-scale=1" />
  <title>Offhook</title>
  <h1>The console is not built</h1>
  <p>The service works, only its pages are missing. <code>npm run build:console</code> makes them.</p>
</html>
`
