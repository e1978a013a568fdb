import { createHash } from 'node:crypto'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { Problem } from '@offhook/contract/problem.ts'
import { acceptedEncodings } from '../reply/send-json.ts'
import { readFile } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'
import { docsFolder, inClone, repository } from '#places.ts'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'

/** Loads and compresses at the first request, then caches. Retries after a failure. */
export const packedOnce = (load: () => Promise<string | Buffer>): (() => Promise<Buffer>) => {
  let packed: Promise<Buffer> | undefined
  const pack = async (): Promise<Buffer> => {
    try {
      return await promisify(gzip)(await load())
    } catch (error) {
      packed = undefined
      throw error
    }
  }
  return () => (packed ??= pack())
}

/** Own scripts only, no third-party resources. Scalar writes styles into elements, which no nonce can allow. */
const referencePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "connect-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "worker-src 'self' blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const referencePage = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Offhook: interface</title>
    <link rel="icon" href="data:," />
  </head>
  <body>
    <div id="reference"></div>
    <script src="/docs/api/scalar.js"></script>
    <script src="/docs/api/start.js"></script>
  </body>
</html>
`

/** Disables everything that would send requests to third parties: fonts, proxy, telemetry, assistants. */
const configuration = {
  url: '/docs/openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
  persistAuth: false,
  hideModels: true,
  authentication: { preferredSecurityScheme: 'bearer' },
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  metaData: { title: 'Offhook: interface' },
}

const startScript = `Scalar.createApiReference('#reference', ${JSON.stringify(configuration)})\n`

/** Scalar's own script, which its package exposes only through a route. 4 MB. */
const scalarScript = packedOnce(async () => {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const app = Fastify()
  await app.register(scalar, { routePrefix: '/reference', configuration: { url: '/' } })
  const { body } = await app.inject('/reference/js/scalar.js')
  await app.close()
  return body
})

/** Files below /docs/ by path: compressed, except images. */
type SiteFiles = (path: string) => Promise<Uint8Array | undefined>

/** A package contains the rendered site. */
const packed: SiteFiles = (path) => readFile(join(docsFolder, extname(path) === '.png' ? path : `${path}.gz`)).catch(() => undefined)

/** In a clone, renders at the first request in a separate thread, whose memory is freed with it. */
const rendered = (): Promise<ReadonlyMap<string, Uint8Array>> =>
  new Promise((resolve, reject) => {
    const thread = new Worker(join(repository, 'packages/docs/src/render-worker.ts'), { name: 'docs', execArgv: [] })
    thread.once('message', resolve)
    thread.once('error', reject)
    thread.once('exit', () => reject(new Error('the documentation was not rendered')))
  })

const renderedOnce = (): SiteFiles => {
  let files: ReturnType<typeof rendered> | undefined
  return async (path) => {
    files ??= rendered()
    try {
      return (await files).get(path)
    } catch (error) {
      files = undefined // the fault may be fixed by then: the next request retries
      throw error
    }
  }
}

export const siteFiles = (): SiteFiles => (inClone ? renderedOnce() : packed)

/** Own files only: no inline scripts, styles or images, and no third-party ones. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
}
/** Plain text, which browsers display; they would download Markdown. */
const plainText = 'text/plain; charset=utf-8'

/** Old addresses, and those without their slash. */
const moved: Readonly<Record<string, string>> = {
  '/docs': '/docs/',
  '/docs/api': '/docs/api/',
  '/docs/guides': '/docs/#guides',
  '/docs/guides/': '/docs/#guides',
  '/docs/guides/README.md': '/docs/#guides',
  '/docs/start.js': '/docs/api/start.js',
  '/docs/scalar.js': '/docs/api/scalar.js',
  '/docs/api/openapi.json': '/docs/openapi.json',
  '/docs/api/asyncapi.json': '/docs/asyncapi.json',
}

/** Documentation: guides and lists, the API reference, and llms.txt. Loads nothing from other sites. */
export const mountDocs = (app: FastifyInstance, files: SiteFiles = siteFiles()): void => {
  for (const [from, to] of Object.entries(moved)) app.get(from, (_request, reply) => reply.redirect(to, 303))
  app.get('/docs/api/', (_request, reply) =>
    reply
      .header('content-security-policy', referencePolicy)
      .type(types['.html'] ?? '')
      .send(referencePage),
  )
  app.get('/docs/api/start.js', (_request, reply) => script(reply).send(startScript))
  app.get('/docs/api/scalar.js', async (request, reply) => sendPacked(request, script(reply), await scalarScript()))
  app.get('/llms.txt', (request, reply) => sendFile(files, 'llms.txt', request, reply))
  app.get('/docs/', (request, reply) => sendFile(files, 'index.html', request, reply))
  app.get<{ Params: { '*': string } }>('/docs/*', (request, reply) => sendFile(files, request.params['*'], request, reply))
}

/** Changes with a new Offhook version at the latest; browsers revalidate once a day. */
const script = (reply: FastifyReply): FastifyReply => reply.header('cache-control', 'public, max-age=86400').type(types['.js'] ?? '')

const sendFile = async (files: SiteFiles, path: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
  if (!/^[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/.test(path)) throw new Problem('not_found')
  const page = await files(`${path}.html`)
  const content = page ?? (await files(path))
  if (!content) throw new Problem('not_found')
  const name = page ? `${path}.html` : path
  void keep(reply, path).type(types[extname(name)] ?? plainText)
  if (extname(name) === '.html') void reply.header('content-security-policy', policy).header('referrer-policy', 'no-referrer')
  const tag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`
  void reply.header('etag', tag)
  if (request.headers['if-none-match']?.includes(tag)) return reply.code(304).send()
  return extname(name) === '.png' ? reply.send(Buffer.from(content)) : sendPacked(request, reply, content)
}

/** The name of an asset changes with its content, so it is cached for ever; everything else is revalidated. */
const keep = (reply: FastifyReply, path: string): FastifyReply =>
  reply.header('cache-control', path.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache')

const sendPacked = async (request: FastifyRequest, reply: FastifyReply, packed: Uint8Array): Promise<FastifyReply> => {
  const isTaken = acceptedEncodings(request).has('gzip')
  if (isTaken) void reply.header('content-encoding', 'gzip')
  return reply.header('vary', 'accept-encoding').send(isTaken ? Buffer.from(packed) : await promisify(gunzip)(packed))
}
