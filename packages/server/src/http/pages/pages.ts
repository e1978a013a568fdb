import { Problem } from '@offhook/contract/problem.ts'
import type { FastifyInstance } from 'fastify'
import type { HandlerParts } from '../handler/handler-parts.ts'

type PageParts = Pick<HandlerParts, 'store' | 'presence'> & { storage: { readonly full: boolean } }

/** What is neither an operation nor a page of the identity provider or of a porting: for people and for machines that watch. */
export const mountPages = (app: FastifyInstance, { store, storage, presence }: PageParts): void => {
  // Browsers ask for it beside every page that names no picture; there is none.
  app.get('/favicon.ico', (_request, reply) => reply.header('cache-control', 'public, max-age=86400').code(204).send())

  const demandDatabase = async (): Promise<void> => {
    await store.read.settings.get('first_run').catch(() => {
      throw new Problem('unavailable', 'The database does not answer.')
    })
  }

  /** Whether the process is to be left alone. */
  app.get('/health', async () => {
    await demandDatabase()
    return { status: 'ok' }
  })

  /** Whether it is to be sent anything new: no while it is being drained, though calls that it has go on. */
  app.get('/ready', async () => {
    if (!presence.isReady) throw new Problem('unavailable', 'This process takes no new calls: it starts, stops or is being drained.')
    if (storage.full) throw new Problem('unavailable', 'This process takes nothing new: the disk of the database is full.')
    await demandDatabase()
    return { status: 'ready' }
  })
}
