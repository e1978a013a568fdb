import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Problem } from '@offhook/contract/problem.ts'
import type { FastifyInstance } from 'fastify'
import type { Parts } from './parts.ts'

const root = join(import.meta.dirname, '../../../..')
const startPage = join(root, 'packages/console/src/index.html')
const description = join(root, 'docs/api/openapi.json')

/** The page is plain: no script, nothing from elsewhere, no frame around it. */
const pagePolicy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** What is neither an operation nor a page of the identity provider or of a porting: for people and for machines that watch. */
export const mountPages = (app: FastifyInstance, { store, installation }: Pick<Parts, 'store' | 'installation'>): void => {
  for (const path of ['/', '/console']) app.get(path, (_request, reply) => reply.redirect('/console/', 303))

  app.get('/console/', async (_request, reply) => {
    const page = await readFile(startPage, 'utf8')
    return reply
      .header('content-security-policy', pagePolicy)
      .type('text/html; charset=utf-8')
      .send(page.replaceAll('{{publicUrl}}', escapeHtml(installation.publicUrl())))
  })

  app.get('/docs/openapi.json', async (_request, reply) => reply.type('application/json; charset=utf-8').send(await readFile(description)))

  app.get('/health', async () => {
    await store.read.settings.get('first_run').catch(() => {
      throw new Problem('unavailable', 'The database does not answer.')
    })
    return { status: 'ok' }
  })
}

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;').replaceAll("'", '&#39;')
