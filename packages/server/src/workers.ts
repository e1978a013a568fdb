import type { FastifyBaseLogger } from 'fastify'
import { realClock } from './adapters/clock/real-clock.ts'
import { identityJobs, identitySweep } from './core/identity/housekeeping.ts'
import { deliverSessionEnd, sessionEndRetries, sessionEndsAtOnce, sessionEndSpread } from './core/delivery/deliver-session-end.ts'
import { deliverySweep } from './core/delivery/delivery-sweep.ts'
import { deliverMail } from './core/mail/queue-mail.ts'
import { idempotencySweep, moneyJobs } from './core/money/jobs.ts'
import { numberJobs } from './core/numbers/number-jobs.ts'
import { deliverCarrierMessage } from './core/portings/deliver.ts'
import type { PortingDesk } from './core/portings/porting-record.ts'
import type { Clock } from './core/ports/clock.ts'
import type { Endpoints } from './core/ports/endpoint.ts'
import type { Mailer } from './core/ports/mailer.ts'
import type { OutboundHttp } from './core/ports/outbound-http.ts'
import type { Store, Tables } from './core/ports/store/index.ts'
import type { Vault } from './core/ports/vault.ts'
import { atMost } from './core/session/at-most.ts'
import { sessionJobs, sessionSweep } from './core/session/recover.ts'
import { outboxSweep } from './core/work/outbox-sweep.ts'
import { recurringTasks, startRecurring } from './core/work/recurring.ts'
import { Worker } from './core/work/worker.ts'

export interface WorkerParts {
  store: Store
  clock: Clock
  vault: Vault
  mailer: Mailer
  outbound: OutboundHttp
  endpoints: Endpoints
  desk: PortingDesk
  /** The assistants of this process still have their sessions. */
  renewLeases: () => Promise<void>
  logger: FastifyBaseLogger
  lookEveryMs: number
}

export interface Workers {
  start(): Promise<void>
  wake(): void
  idle(): Promise<void>
  /** Tells customers of sessions that have just ended, as far as that is possible in so many milliseconds. */
  flush(ms: number): Promise<void>
  close(): Promise<void>
}

const minute = 60_000
const messageRetries = [5_000, minute, 5 * minute, 30 * minute, 120 * minute, 300 * minute]
const recurring = [outboxSweep, idempotencySweep, identitySweep, sessionSweep, deliverySweep]
const jobRetries = Array.from({ length: 20 }, () => minute)

/** What delivers messages to the outside, and what happens at its time: every kind of both, in sight. */
export const buildWorkers = (parts: WorkerParts): Workers => {
  const { store, clock, vault, desk, renewLeases, logger, lookEveryMs } = parts
  const { outbox, sessionEnds } = messengers(parts)
  const wakeOutbox = () => outbox.wake()
  const jobs = new Worker({
    store,
    clock,
    lookEveryMs,
    queue: (tables) => tables.jobs,
    retryAfterMs: jobRetries,
    tasks: {
      ...recurringTasks(store, clock, recurring),
      ...moneyJobs(store, clock),
      ...identityJobs({ store, clock, vault, publicUrl: desk.publicUrl, wake: wakeOutbox }),
      ...numberJobs({ store, desk, wake: wakeOutbox }),
      ...sessionJobs({ store, clock, renewOwn: renewLeases, wake: () => sessionEnds.wake() }),
    },
    onError: (kind, error) => logger.error({ err: error, kind }, 'a job failed'),
  })
  return {
    async start() {
      await startRecurring(store, clock, recurring)
      for (const worker of [outbox, sessionEnds, jobs]) worker.start()
    },
    wake() {
      for (const worker of [outbox, sessionEnds, jobs]) worker.wake()
    },
    async idle() {
      await jobs.idle() // jobs put messages into the outbox, so they come first
      await outbox.idle()
      await sessionEnds.idle()
    },
    async flush(ms) {
      sessionEnds.wake()
      await atMost(realClock(), ms, sessionEnds.idle(), undefined)
    },
    async close() {
      await jobs.close()
      await outbox.close()
      await sessionEnds.close()
    },
  }
}

/** Both take from the outbox; customers get their own chance, because theirs are many and may be slow. */
const messengers = ({ store, clock, vault, mailer, outbound, endpoints, desk, logger, lookEveryMs }: WorkerParts) => {
  const both = {
    store,
    clock,
    lookEveryMs,
    queue: (tables: Tables) => tables.outbox,
    onError: (kind: string, error: unknown) => logger.warn({ err: error, kind }, 'a message could not be delivered'),
  }
  const outbox = new Worker({
    ...both,
    retryAfterMs: messageRetries,
    tasks: {
      mail: deliverMail(vault, mailer),
      carrier: deliverCarrierMessage({ store, vault, outbound, desk }),
    },
  })
  const sessionEnds = new Worker({
    ...both,
    retryAfterMs: sessionEndRetries,
    spread: sessionEndSpread,
    atOnce: sessionEndsAtOnce,
    tasks: { session_end: deliverSessionEnd({ store, endpoints }) },
  })
  return { outbox, sessionEnds }
}
