import { createHash } from 'node:crypto'
import { extname } from 'node:path'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { Problem } from '@offhook/contract/problem.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { acceptedEncodings } from '../reply/accepted-encodings.ts'
import { referencePage, referencePolicy, scalarScript, startScript } from './reference-page.ts'
import { siteFiles, type SiteFiles } from './site-files.ts'

/** Our own files only: no script, style or picture of a page stands in its text or comes from elsewhere. */
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
/** As text, which browsers show; Markdown they would save. */
const plainText = 'text/plain; charset=utf-8'

/** Addresses of before, and those without their slash. */
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

/** Documentation: guides and lists, the reference of the interface, and llms.txt. Loads nothing from other sites. */
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

/** New with a new version of Offhook at the latest; the browser asks again once a day. */
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

/** The name of an asset changes with its content, so it can be kept for ever; everything else is asked for again. */
const keep = (reply: FastifyReply, path: string): FastifyReply =>
  reply.header('cache-control', path.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache')

const sendPacked = async (request: FastifyRequest, reply: FastifyReply, packed: Uint8Array): Promise<FastifyReply> => {
  const isTaken = acceptedEncodings(request).has('gzip')
  if (isTaken) void reply.header('content-encoding', 'gzip')
  return reply.header('vary', 'accept-encoding').send(isTaken ? Buffer.from(packed) : await promisify(gunzip)(packed))
}
