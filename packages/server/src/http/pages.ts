import { Problem } from '@offhook/contract/problem.ts'
import type { FastifyInstance } from 'fastify'
import type { Parts } from './parts.ts'

/** What is neither an operation nor a page of the identity provider or of a porting: for people and for machines that watch. */
export const mountPages = (app: FastifyInstance, { store }: Pick<Parts, 'store'>): void => {
  app.get('/health', async () => {
    await store.read.settings.get('first_run').catch(() => {
      throw new Problem('unavailable', 'The database does not answer.')
    })
    return { status: 'ok' }
  })
}
