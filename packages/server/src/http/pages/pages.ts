import { Problem } from '@offhook/contract/problem.ts'
import type { FastifyInstance } from 'fastify'
import type { HandlerDeps } from '../handler/handler-parts.ts'

type PageParts = Pick<HandlerDeps, 'store' | 'presence'> & { storage: { readonly full: boolean } }

/** Pages that are neither operations nor part of the identity provider or of portings, and the health checks. */
export const mountPages = (app: FastifyInstance, { store, storage, presence }: PageParts): void => {
  // Browsers request it for every page that names no icon; there is none.
  app.get('/favicon.ico', (_request, reply) => reply.header('cache-control', 'public, max-age=86400').code(204).send())

  const databaseAnswers = (): Promise<boolean> =>
    store.reach?.answers() ??
    store.read.settings.get('first_run').then(
      () => true,
      () => false,
    )

  /** By its instance a service is told from another that took its address. Liveness: whether the process may go on running. A database that is away is no reason to end it: its calls go on. */
  app.get('/health', async () => ({ status: 'ok', instance: presence.id }))

  /** Readiness: whether it may be sent new requests. Not while it is drained, although its calls go on. */
  app.get('/ready', async () => {
    if (!presence.isReady) throw new Problem('unavailable', 'This process takes no new calls: it is starting, stopping or being drained.')
    if (storage.full) throw new Problem('unavailable', 'This process accepts nothing new: the disk of the database is full.')
    if (!(await databaseAnswers())) throw new Problem('unavailable', 'The database is not answering.', { retryAfter: 5 })
    return { status: 'ready', bus: presence.bus }
  })
}
