import type { FastifyBaseLogger } from 'fastify'
import { realClock } from './adapters/clock/real-clock.ts'
import type { RecoverParts } from './core/call/end-lost-call.ts'
import { leaseJobs, type Survivor } from './core/call/recover-calls.ts'
import { identityJobs, identitySweep } from './core/identity/housekeeping.ts'
import { deliverSessionEnd } from './core/delivery/deliver-session-end.ts'
import { deliverySweep } from './core/delivery/delivery-sweep.ts'
import { customerMessagesAtOnce, customerRetries, customerSpread } from './core/delivery/retry-schedule.ts'
import { missedJobs } from './core/lines/tell-of-missed.ts'
import { deliverMail } from './core/mail/queue-mail.ts'
import { idempotencySweep, moneyJobs } from './core/money/jobs.ts'
import { numberJobs } from './core/numbers/number-jobs.ts'
import { deliverCarrierMessage } from './core/portings/deliver.ts'
import type { PortingDesk } from './core/portings/porting-record.ts'
import type { Clock } from './core/ports/clock.ts'
import type { Endpoints } from './core/ports/endpoint.ts'
import type { Mailer } from './core/ports/mailer.ts'
import type { OutboundHttp } from './core/ports/outbound-http.ts'
import type { RecordingFiles } from './core/ports/recording-files.ts'
import type { Store, Tables } from './core/ports/store/index.ts'
import type { Vault } from './core/ports/vault.ts'
import { recordingJobs } from './core/recordings/recording-jobs.ts'
import { recordingSweeps } from './core/recordings/recording-sweep.ts'
import { exchangeSweep } from './core/push/exchange-sweep.ts'
import { noticeKind } from './core/push/notices.ts'
import { atMost } from './core/session/at-most.ts'
import { sessionSweep } from './core/session/recover.ts'
import { outboxSweep } from './core/work/outbox-sweep.ts'
import { recurringTasks, startRecurring } from './core/work/recurring.ts'
import { Worker, type Task } from './core/work/worker.ts'

export interface WorkerParts {
  store: Store
  clock: Clock
  vault: Vault
  mailer: Mailer
  outbound: OutboundHttp
  endpoints: Endpoints
  desk: PortingDesk
  /** Tells accounts' own software about calls. */
  deliverNotice: Task
  /** Ends what other processes had that are gone. */
  recovery: Omit<RecoverParts, 'wake'> & { survivor: Survivor }
  recordings: { files: RecordingFiles; keptDays: number }
  logger: FastifyBaseLogger
  lookEveryMs: number
}

export interface Workers {
  start(): Promise<void>
  wake(): void
  idle(): Promise<void>
  /** Tells customers of sessions and calls that have just ended, as far as that is possible in so many milliseconds. */
  flush(ms: number): Promise<void>
  close(): Promise<void>
}

const minute = 60_000
const messageRetries = [5_000, minute, 5 * minute, 30 * minute, 120 * minute, 300 * minute]
const recurring = [outboxSweep, idempotencySweep, identitySweep, sessionSweep, deliverySweep, exchangeSweep]
const jobRetries = Array.from({ length: 20 }, () => minute)

/** What delivers messages to the outside, and what happens at its time: every kind of both, in sight. */
export const buildWorkers = (parts: WorkerParts): Workers => {
  const { store, clock, vault, desk, recovery, recordings, logger, lookEveryMs } = parts
  const again = [...recurring, ...recordingSweeps({ store, clock, ...recordings })]
  const { outbox, sessionEnds, notices } = messengers(parts)
  const wakeOutbox = () => outbox.wake()
  const wakeCustomers = (): void => {
    sessionEnds.wake()
    notices.wake()
  }
  const jobs = new Worker({
    store,
    clock,
    lookEveryMs,
    queue: (tables) => tables.jobs,
    retryAfterMs: jobRetries,
    tasks: {
      ...recurringTasks(store, clock, again),
      ...recordingJobs({ store, clock, files: recordings.files }),
      ...missedJobs({ store, clock, vault, wake: wakeOutbox }),
      ...moneyJobs(store, clock),
      ...identityJobs({ store, clock, vault, publicUrl: desk.publicUrl, wake: wakeOutbox }),
      ...numberJobs({ store, desk, wake: wakeOutbox }),
      ...leaseJobs({ ...recovery, wake: wakeCustomers }),
    },
    onError: (kind, error) => logger.error({ err: error, kind }, 'a job failed'),
  })
  return {
    async start() {
      await startRecurring(store, clock, again)
      for (const worker of [outbox, sessionEnds, notices, jobs]) worker.start()
    },
    wake() {
      for (const worker of [outbox, sessionEnds, notices, jobs]) worker.wake()
    },
    async idle() {
      await jobs.idle() // jobs put messages into the outbox, so they come first
      await outbox.idle()
      await sessionEnds.idle()
      await notices.idle()
    },
    async flush(ms) {
      wakeCustomers()
      await atMost(realClock(), ms, Promise.all([sessionEnds.idle(), notices.idle()]), undefined)
    },
    async close() {
      await jobs.close()
      await outbox.close()
      await sessionEnds.close()
      await notices.close()
    },
  }
}

/** All take from the outbox; customers get their own chance, because theirs are many and may be slow. */
const messengers = (parts: WorkerParts) => {
  const { store, clock, vault, mailer, outbound, endpoints, desk, deliverNotice, logger, lookEveryMs } = parts
  const all = {
    store,
    clock,
    lookEveryMs,
    queue: (tables: Tables) => tables.outbox,
    onError: (kind: string, error: unknown) => logger.warn({ err: error, kind }, 'a message could not be delivered'),
  }
  const outbox = new Worker({
    ...all,
    retryAfterMs: messageRetries,
    tasks: {
      mail: deliverMail(vault, mailer),
      carrier: deliverCarrierMessage({ store, vault, outbound, desk }),
    },
  })
  const customers = { ...all, retryAfterMs: customerRetries, spread: customerSpread, atOnce: customerMessagesAtOnce }
  const sessionEnds = new Worker({ ...customers, tasks: { session_end: deliverSessionEnd({ store, endpoints }) } })
  const notices = new Worker({ ...customers, tasks: { [noticeKind]: deliverNotice } })
  return { outbox, sessionEnds, notices }
}
