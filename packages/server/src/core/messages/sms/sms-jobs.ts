import { more, type Recurring } from '#core/kernel/work/recurring.ts'
import type { Task } from '#core/kernel/work/worker.ts'
import { joined, repetitionMs } from './receiving/collect-parts.ts'
import { phonesJob, phonesTask } from './receiving/show-on-phones.ts'
import { sendJob } from './state/sending-job.ts'
import { writeAll } from './receiving/sms-receiver.ts'
import type { SmsParts } from './state/sms-parts.ts'
import { submitTask } from './sending/submit-sms.ts'

/** For a separate worker on the jobs table: messages waiting for other networks must not delay other jobs. */
export const smsJobs = (deps: SmsParts): Record<string, Task> => ({
  [sendJob]: submitTask(deps),
  [phonesJob]: phonesTask(deps),
})

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

/** Retry intervals when acceptance is unknown. Longer than the validity of any message. */
export const smsRetries: readonly number[] = [
  ...[5, 15, 30, 60, 120, 300, 600].map((seconds) => seconds * second),
  ...Array.from({ length: 120 }, () => 15 * minute),
]

/** Enough to fill the windows of message centres. */
export const concurrentSms = 64

/** Retention of delivery data in milliseconds. The history stays. */
const retentionMs = 30 * day
/** Rows per transaction: calls wait for it, so it must end within a few milliseconds. */
const forgottenPerBatch = 100
const writtenAtOnce = 10

export const smsSweeps: readonly Recurring[] = [
  {
    kind: 'sms.sweep',
    intervalMs: hour,
    run: async ({ messages }, now) => {
      await messages.removeEarlyReceiptsBefore(now - hour)
      await messages.removeDoneFragmentsBefore(now - repetitionMs)
      return (await messages.removeEndedBefore(now - retentionMs, forgottenPerBatch)) === forgottenPerBatch ? more : undefined
    },
  },
  {
    // Delivers a part of a message rather than none.
    kind: 'sms.incomplete',
    intervalMs: hour,
    run: async (tables, now) => {
      const old = await tables.messages.listFragmentsBefore(now - day, writtenAtOnce)
      for (const { parts, doneAt: _, ...key } of old) {
        await tables.messages.removeFragments(key)
        await writeAll(tables, key, [joined(parts, key.total)], now)
      }
      return old.length === writtenAtOnce ? more : undefined
    },
  },
]
