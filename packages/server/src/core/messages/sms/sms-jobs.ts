import { more, type Recurring } from '#core/kernel/work/recurring.ts'
import type { Task } from '#core/kernel/work/worker.ts'
import { joined, repetitionMs } from './receiving/collect-parts.ts'
import { phonesJob, phonesTask } from './receiving/show-on-phones.ts'
import { sendJob } from './state/sending-job.ts'
import { writeAll } from './receiving/sms-receiver.ts'
import type { SmsParts } from './state/sms-parts.ts'
import { submitTask } from './sending/submit-sms.ts'

/** For a worker of their own on the jobs' table: what waits for other networks must not hold up anything else. */
export const smsJobs = (deps: SmsParts): Record<string, Task> => ({
  [sendJob]: submitTask(deps),
  [phonesJob]: phonesTask(deps),
})

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

/** When it is not known whether it was taken. Longer than any message is tried. */
export const smsRetries: readonly number[] = [
  ...[5, 15, 30, 60, 120, 300, 600].map((seconds) => seconds * second),
  ...Array.from({ length: 120 }, () => 15 * minute),
]

/** Enough to fill the windows of message centres. */
export const concurrentSms = 64

/** How long data is kept that was only needed for delivery. The history stays. */
const retentionMs = 30 * day
/** In one transaction: calls wait meanwhile, so it is over in a few milliseconds. */
const forgottenPerBatch = 100
const writtenAtOnce = 10

export const smsSweeps: readonly Recurring[] = [
  {
    kind: 'sms.sweep',
    everyMs: hour,
    run: async ({ messages }, now) => {
      await messages.removeEarlyReceiptsBefore(now - hour)
      await messages.removeDoneFragmentsBefore(now - repetitionMs)
      return (await messages.removeEndedBefore(now - retentionMs, forgottenPerBatch)) === forgottenPerBatch ? more : undefined
    },
  },
  {
    // Better a part of a message than nothing of it.
    kind: 'sms.incomplete',
    everyMs: hour,
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
