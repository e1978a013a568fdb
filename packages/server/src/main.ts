import { join } from 'node:path'
import type { Logger } from 'pino'
import { realClock } from './adapters/clock/real-clock.ts'
import { noLine } from './adapters/line/no-line.ts'
import { fileMailer } from './adapters/mail/file-mailer.ts'
import { smtpMailer } from './adapters/mail/smtp-mailer.ts'
import { outboundHttp } from './adapters/outbound-http.ts'
import { argon2Passwords } from './adapters/passwords/argon2-passwords.ts'
import { sqliteStore } from './adapters/store/sqlite-store.ts'
import { openVault } from './adapters/vault/file-vault.ts'
import { blame } from './cannot-start.ts'
import type { Settings } from './config.ts'
import { Calls } from './core/call/calls.ts'
import { Authenticator } from './core/identity/authenticate.ts'
import type { Clock } from './core/ports/clock.ts'
import type { Mailer } from './core/ports/mailer.ts'
import type { Passwords } from './core/ports/passwords.ts'
import type { Store } from './core/ports/store/index.ts'
import type { Vault } from './core/ports/vault.ts'
import { firstStart, type FirstStart } from './first-start.ts'
import type { Installation, Parts } from './http/parts.ts'
import { buildServer } from './http/server.ts'
import { openLog } from './log.ts'
import { buildWorkers } from './workers.ts'

export interface Running {
  /** Where the REST interface listens. */
  http: string
  firstStart: FirstStart
  parts: Parts
  /** No message and no job that is due is left undone. */
  idle(): Promise<void>
  close(): Promise<void>
}

/** Parts that tests replace: time, and what costs time. */
export interface Replaced {
  clock?: Clock
  /** How often the waiting tables are looked at, in case another process put something there. */
  lookEveryMs?: number
  passwords?: Passwords
  logger?: Logger
}

/** Builds the whole service, all choices in sight; closing is the reverse order. */
export const start = async (settings: Settings, replaced: Replaced = {}): Promise<Running> => {
  const logger = replaced.logger ?? openLog(settings.OFFHOOK_LOG)
  const clock = replaced.clock ?? realClock()
  const vault = await openKey(settings)
  const store = await openStore(settings, logger)
  const mailer = openMailer(settings, clock, logger)
  const outbound = outboundHttp({ allow: settings.OFFHOOK_EGRESS_ALLOW })

  let listening = ''
  const installation = describe(settings, () => listening)
  const desk = { clock, vault, carrierCode: installation.carrierCode, publicUrl: installation.publicUrl }
  const lookEveryMs = replaced.lookEveryMs ?? 1_000
  const workers = buildWorkers({ store, clock, vault, mailer, outbound, desk, logger, lookEveryMs })
  const parts: Parts = {
    store,
    clock,
    vault,
    outbound,
    passwords: replaced.passwords ?? argon2Passwords(),
    authenticator: new Authenticator(store, clock),
    line: noLine(),
    calls: new Calls(),
    trunkStates: { of: () => undefined, changed: () => {} },
    wake: () => workers.wake(),
    installation,
  }
  const app = buildServer(parts, { logger, rateLimit: settings.OFFHOOK_RATE_LIMIT, trustProxy: settings.OFFHOOK_TRUST_PROXY })
  const closeAll = async (): Promise<void> => {
    await app.close()
    await workers.close()
    await mailer.close?.()
    await outbound.close()
    await store.close()
  }
  try {
    listening = await app.listen(settings.OFFHOOK_HTTP)
    const { OFFHOOK_DATA: data, OFFHOOK_DEMO: demo } = settings
    const first = await firstStart(parts, { data, demo }).catch(blame(folder(settings)))
    await workers.start()
    let closing: Promise<void> | undefined
    return { http: listening, firstStart: first, parts, idle: () => workers.idle(), close: () => (closing ??= closeAll()) }
  } catch (error) {
    await closeAll()
    throw error
  }
}

const describe = (settings: Settings, listening: () => string): Installation => ({
  publicUrl: () => settings.OFFHOOK_PUBLIC_URL ?? listening(),
  sip: { host: settings.OFFHOOK_PUBLIC_ADDRESS ?? settings.OFFHOOK_SIP.host, port: settings.OFFHOOK_SIP.port },
  carrierCode: settings.OFFHOOK_CARRIER_CODE,
  country: settings.OFFHOOK_COUNTRY,
  currency: settings.OFFHOOK_CURRENCY,
  passwordGrant: settings.OFFHOOK_PASSWORD_GRANT,
})

const folder = ({ OFFHOOK_DATA }: Settings): string => `The data folder ${OFFHOOK_DATA}`

/** Before the store, because without the key what is in there could not be read. */
const openKey = (settings: Settings): Promise<Vault> => {
  const { OFFHOOK_DATA, OFFHOOK_SECRET_KEY: key } = settings
  const opened = openVault({ file: join(OFFHOOK_DATA, 'secret.key'), ...(key !== undefined && { key }) })
  return opened.catch(blame(`The secret key in the data folder ${OFFHOOK_DATA}`, () => true))
}

const openStore = async (settings: Settings, logger: Logger): Promise<Store> => {
  const { OFFHOOK_DATA, DATABASE_URL } = settings
  if (DATABASE_URL === undefined) return sqliteStore(join(OFFHOOK_DATA, 'offhook.db')).catch(blame(folder(settings)))
  const { postgresStore } = await import('./adapters/store/postgres-store.ts')
  const onError = (error: Error): void => logger.warn({ err: error }, 'a database connection broke')
  return postgresStore(DATABASE_URL, { onError }).catch(blame('The database of DATABASE_URL'))
}

const openMailer = (settings: Settings, clock: Clock, logger: Logger): Mailer & { close?(): Promise<void> } => {
  const from = settings.OFFHOOK_MAIL_FROM
  if (settings.OFFHOOK_SMTP_URL !== undefined) return smtpMailer({ url: settings.OFFHOOK_SMTP_URL, from })
  const onWritten = (path: string) => logger.info({ path }, 'no mail server is set: a mail was written to a file')
  return fileMailer({ directory: join(settings.OFFHOOK_DATA, 'mail'), from, clock, onWritten })
}
