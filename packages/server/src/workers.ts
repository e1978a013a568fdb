import type { FastifyBaseLogger } from 'fastify'
import { identityJobs, identitySweep } from './core/identity/housekeeping.ts'
import { deliverMail } from './core/mail/queue-mail.ts'
import { idempotencySweep, moneyJobs } from './core/money/jobs.ts'
import { numberJobs } from './core/numbers/number-jobs.ts'
import { deliverCarrierMessage } from './core/portings/deliver.ts'
import type { PortingDesk } from './core/portings/porting-record.ts'
import type { Clock } from './core/ports/clock.ts'
import type { Mailer } from './core/ports/mailer.ts'
import type { OutboundHttp } from './core/ports/outbound-http.ts'
import type { Store } from './core/ports/store/index.ts'
import type { Vault } from './core/ports/vault.ts'
import { outboxSweep } from './core/work/outbox-sweep.ts'
import { recurringTasks, startRecurring } from './core/work/recurring.ts'
import { Worker } from './core/work/worker.ts'

export interface WorkerParts {
  store: Store
  clock: Clock
  vault: Vault
  mailer: Mailer
  outbound: OutboundHttp
  desk: PortingDesk
  logger: FastifyBaseLogger
  lookEveryMs: number
}

export interface Workers {
  start(): Promise<void>
  wake(): void
  idle(): Promise<void>
  close(): Promise<void>
}

const minute = 60_000
const messageRetries = [5_000, minute, 5 * minute, 30 * minute, 120 * minute, 300 * minute]
const recurring = [outboxSweep, idempotencySweep, identitySweep]
const jobRetries = Array.from({ length: 20 }, () => minute)

/** What delivers messages to the outside, and what happens at its time: every kind of both, in sight. */
export const buildWorkers = ({ store, clock, vault, mailer, outbound, desk, logger, lookEveryMs }: WorkerParts): Workers => {
  const outbox = new Worker({
    store,
    clock,
    lookEveryMs,
    queue: (tables) => tables.outbox,
    retryAfterMs: messageRetries,
    tasks: {
      mail: deliverMail(vault, mailer),
      carrier: deliverCarrierMessage({ store, vault, outbound, desk }),
    },
    onError: (kind, error) => logger.warn({ err: error, kind }, 'a message could not be delivered'),
  })
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
    },
    onError: (kind, error) => logger.error({ err: error, kind }, 'a job failed'),
  })
  return {
    async start() {
      await startRecurring(store, clock, recurring)
      outbox.start()
      jobs.start()
    },
    wake() {
      outbox.wake()
      jobs.wake()
    },
    async idle() {
      await jobs.idle() // jobs put messages into the outbox, so they come first
      await outbox.idle()
    },
    async close() {
      await jobs.close()
      await outbox.close()
    },
  }
}
