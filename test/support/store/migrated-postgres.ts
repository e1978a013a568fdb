import { once } from 'node:events'
import { createServer, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Postgres } from './postgres.ts'

/** Setting with the socket at which `test/run.ts` hands out its PostgreSQL. */
export const socketSetting = 'OFFHOOK_TEST_POSTGRES'

/** Template database: a copy costs a tenth of the migrations. */
export const migratedTemplate = 'offhook_migrated'

/** No data must survive a power failure, and every minute autovacuum would check each of the hundreds of databases of a run. */
const forgetful = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
}

type Offer = { url: string } | { error: string }

/** One PostgreSQL for all processes of a test run, started on the first request: rule tests do without. */
export const offerPostgres = async (socketPath: string): Promise<{ environment: Record<string, string>; stop(): Promise<void> }> => {
  let started: Promise<Postgres> | undefined
  const server = createServer((socket) => {
    socket.on('error', () => {}) // a test process that was killed
    const answer = (offer: Offer): unknown => socket.end(JSON.stringify(offer))
    started ??= startMigrated()
    started.then(
      ({ url }) => answer({ url }),
      (error: unknown) => answer({ error: String(error) }),
    )
  })
  server.listen(socketPath)
  await once(server, 'listening')
  return {
    environment: { [socketSetting]: socketPath },
    async stop() {
      server.close()
      await (await started?.catch(() => undefined))?.stop()
    },
  }
}

let own: Promise<Postgres> | undefined

/** URL of this test run's PostgreSQL, or of one for this process. */
export const sharedPostgres = async (): Promise<string> => {
  const socketPath = process.env[socketSetting]
  if (socketPath === undefined) return (await (own ??= startMigrated())).url
  const offer = JSON.parse(await text(connect(socketPath))) as Offer
  if ('error' in offer) throw new Error(offer.error)
  return offer.url
}

export const stopOwnPostgres = async (): Promise<void> => (await own)?.stop()

const startMigrated = async (): Promise<Postgres> => {
  const { createDatabase, startPostgres } = await import('./postgres.ts')
  const { postgresStore } = await import('#adapters/store/postgres-store.ts')
  const postgres = await startPostgres(undefined, forgetful)
  const store = await postgresStore(await createDatabase(postgres.url, { name: migratedTemplate }))
  await store.close()
  return postgres
}
