import { join } from 'node:path'
import { pino, type Logger } from 'pino'
import { realClock } from './adapters/clock/real-clock.ts'
import { noLine } from './adapters/line/no-line.ts'
import { fileMailer } from './adapters/mail/file-mailer.ts'
import { smtpMailer } from './adapters/mail/smtp-mailer.ts'
import { outboundHttp } from './adapters/outbound-http.ts'
import { argon2Passwords } from './adapters/passwords/argon2-passwords.ts'
import { sqliteStore } from './adapters/store/sqlite-store.ts'
import { openVault } from './adapters/vault/file-vault.ts'
import type { Settings } from './config.ts'
import { Calls } from './core/calls/calls.ts'
import { Authenticator } from './core/identity/authenticate.ts'
import { identityJobs, scheduleIdentityJobs } from './core/identity/housekeeping.ts'
import { moneyJobs, scheduleMoneyJobs } from './core/money/jobs.ts'
import { numberJobs } from './core/numbers/number-jobs.ts'
import { deliverCarrierMessage } from './core/portings/deliver.ts'
import type { Clock } from './core/ports/clock.ts'
import type { Mail, Mailer } from './core/ports/mailer.ts'
import type { Passwords } from './core/ports/passwords.ts'
import type { Store } from './core/ports/store/index.ts'
import { Worker } from './core/work/worker.ts'
import { firstStart, type FirstStart } from './first-start.ts'
import type { Parts } from './http/parts.ts'
import { buildServer } from './http/server.ts'

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
  const logger = replaced.logger ?? pino({ level: settings.OFFHOOK_LOG }, pino.destination({ dest: 2, sync: true }))
  const clock = replaced.clock ?? realClock()
  const store = await openStore(settings, logger)
  const vault = await openVault({
    file: join(settings.OFFHOOK_DATA, 'secret.key'),
    ...(settings.OFFHOOK_SECRET_KEY !== undefined && { key: settings.OFFHOOK_SECRET_KEY }),
  })
  const mailer = openMailer(settings, clock, logger)
  const outbound = outboundHttp({ allow: settings.OFFHOOK_EGRESS_ALLOW })

  let listening = ''
  const publicUrl = (): string => settings.OFFHOOK_PUBLIC_URL ?? listening

  const desk = { clock, carrierCode: settings.OFFHOOK_CARRIER_CODE, publicUrl }
  const work = { store, clock, lookEveryMs: replaced.lookEveryMs ?? 1_000 }
  const outbox = new Worker({
    ...work,
    queue: (tables) => tables.outbox,
    retryAfterMs: [5_000, 60_000, 300_000, 1_800_000, 7_200_000, 18_000_000],
    tasks: { mail: (mail) => mailer.send(mail as Mail), carrier: deliverCarrierMessage({ store, vault, outbound, desk }) },
    onError: (kind, error) => logger.warn({ err: error, kind }, 'a message could not be delivered'),
  })
  const jobs = new Worker({
    ...work,
    queue: (tables) => tables.jobs,
    retryAfterMs: Array.from({ length: 20 }, () => 60_000),
    tasks: {
      ...moneyJobs(store, clock),
      ...identityJobs({ store, clock, publicUrl, wake: () => outbox.wake() }),
      ...numberJobs({ store, desk, wake: () => outbox.wake() }),
    },
    onError: (kind, error) => logger.error({ err: error, kind }, 'a job failed'),
  })

  const parts: Parts = {
    ...{ store, clock, vault, outbound },
    passwords: replaced.passwords ?? argon2Passwords(),
    authenticator: new Authenticator(store, clock),
    line: noLine(),
    calls: new Calls(),
    wake: () => {
      outbox.wake()
      jobs.wake()
    },
    installation: {
      publicUrl,
      sip: { host: settings.OFFHOOK_PUBLIC_ADDRESS ?? settings.OFFHOOK_SIP.host, port: settings.OFFHOOK_SIP.port },
      carrierCode: settings.OFFHOOK_CARRIER_CODE,
      country: settings.OFFHOOK_COUNTRY,
      currency: settings.OFFHOOK_CURRENCY,
      passwordGrant: settings.OFFHOOK_PASSWORD_GRANT,
    },
  }
  const app = buildServer(parts, { logger, rateLimit: settings.OFFHOOK_RATE_LIMIT, trustProxy: settings.OFFHOOK_TRUST_PROXY })
  const closeAll = async (): Promise<void> => {
    await app.close()
    await jobs.close()
    await outbox.close()
    await mailer.close?.()
    await outbound.close()
    await store.close()
  }
  let first: FirstStart
  try {
    listening = await app.listen(settings.OFFHOOK_HTTP)
    first = await firstStart(parts, { data: settings.OFFHOOK_DATA, demo: settings.OFFHOOK_DEMO })
    await scheduleMoneyJobs(store, clock)
    await scheduleIdentityJobs(store, clock)
  } catch (error) {
    await closeAll()
    throw error
  }
  outbox.start()
  jobs.start()
  let closing: Promise<void> | undefined
  return {
    http: listening,
    firstStart: first,
    parts,
    idle: async () => {
      await jobs.idle() // jobs put messages into the outbox, so they come first
      await outbox.idle()
    },
    close: () => (closing ??= closeAll()),
  }
}

const openStore = async (settings: Settings, logger: Logger): Promise<Store> => {
  if (settings.DATABASE_URL === undefined) return sqliteStore(join(settings.OFFHOOK_DATA, 'offhook.db'))
  const { postgresStore } = await import('./adapters/store/postgres-store.ts')
  return postgresStore(settings.DATABASE_URL, { onError: (error) => logger.warn({ err: error }, 'a database connection broke') })
}

const openMailer = (settings: Settings, clock: Clock, logger: Logger): Mailer & { close?(): Promise<void> } => {
  const from = settings.OFFHOOK_MAIL_FROM
  if (settings.OFFHOOK_SMTP_URL !== undefined) return smtpMailer({ url: settings.OFFHOOK_SMTP_URL, from })
  const onWritten = (path: string) => logger.info({ path }, 'no mail server is set: a mail was written to a file')
  return fileMailer({ directory: join(settings.OFFHOOK_DATA, 'mail'), from, clock, onWritten })
}
