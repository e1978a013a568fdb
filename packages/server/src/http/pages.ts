import { Problem } from '@offhook/contract/problem.ts'
import type { FastifyInstance } from 'fastify'
import type { Parts } from './parts.ts'

/** What is neither an operation nor a page of the identity provider or of a porting: for people and for machines that watch. */
export const mountPages = (app: FastifyInstance, { store }: Pick<Parts, 'store'>): void => {
  // Browsers ask for it beside every page that names no picture; there is none.
  app.get('/favicon.ico', (_request, reply) => reply.header('cache-control', 'public, max-age=86400').code(204).send())

  app.get('/health', async () => {
    await store.read.settings.get('first_run').catch(() => {
      throw new Problem('unavailable', 'The database does not answer.')
    })
    return { status: 'ok' }
  })
}
