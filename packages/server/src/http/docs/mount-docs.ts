import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { Problem } from '@offhook/contract/problem.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { docsFolder as folder } from '#places.ts'
import { llmsText } from './llms.ts'
import { packedOnce } from './packed-once.ts'
import { referencePage, referencePolicy, scalarScript, startScript } from './reference-page.ts'

const guideList = 'guides/README.md'

const description = packedOnce(() => readFile(join(folder, 'api/openapi.json')))

/** Documentation: the reference of the interface, guides, and llms.txt. Loads nothing from other sites. */
export const mountDocs = (app: FastifyInstance): void => {
  app.get('/docs', (_request, reply) => reply.redirect('/docs/', 303))
  app.get('/docs/', (_request, reply) =>
    reply.header('content-security-policy', referencePolicy).type('text/html; charset=utf-8').send(referencePage),
  )
  app.get('/docs/start.js', (_request, reply) => script(reply).send(startScript))
  app.get('/docs/scalar.js', async (request, reply) => sendPacked(request, script(reply), await scalarScript()))
  for (const path of ['/docs/openapi.json', '/docs/api/openapi.json']) {
    app.get(path, async (request, reply) => sendPacked(request, reply.type('application/json; charset=utf-8'), await description()))
  }
  app.get('/docs/guides/', (_request, reply) => sendText(reply, guideList))
  app.get<{ Params: { guide: string } }>('/docs/guides/:guide', (request, reply) => sendText(reply, `guides/${request.params.guide}`))
  app.get<{ Params: { page: string } }>('/docs/:page', (request, reply) => sendText(reply, request.params.page))
  app.get('/llms.txt', async (_request, reply) => plain(reply).send(llmsText(await readFile(join(folder, guideList), 'utf8'))))
}

/** New with a new version of Offhook at the latest; the browser asks again once a day. */
const script = (reply: FastifyReply): FastifyReply =>
  reply.header('cache-control', 'public, max-age=86400').type('text/javascript; charset=utf-8')

const sendPacked = async ({ headers }: FastifyRequest, reply: FastifyReply, packed: Buffer): Promise<FastifyReply> => {
  const isTaken = /\bgzip\b(?!;\s*q=0(?:\.0*)?(?:,|$))/.test(headers['accept-encoding'] ?? '')
  if (isTaken) void reply.header('content-encoding', 'gzip')
  return reply.header('vary', 'accept-encoding').send(isTaken ? packed : await promisify(gunzip)(packed))
}

/** As text, which browsers show; Markdown they would save. */
const plain = (reply: FastifyReply): FastifyReply => reply.type('text/plain; charset=utf-8')

const sendText = async (reply: FastifyReply, path: string): Promise<FastifyReply> => {
  if (!/^(guides\/)?[\w-]+\.md$/.test(path)) throw new Problem('not_found')
  const text = await readFile(join(folder, path)).catch(() => undefined)
  if (!text) throw new Problem('not_found')
  return plain(reply).send(text)
}
