import { more, type Recurring } from '#core/kernel/work/recurring.ts'

const day = 24 * 60 * 60 * 1000
/** In one transaction: writers queue behind it. */
const concurrency = 1_000

/** As long as timelines; where none are kept, for the day in which they can be read and sent again. Undefined: for ever. */
export const resultSweep = (retentionDays: number | undefined): Recurring => ({
  kind: 'result.sweep',
  everyMs: day,
  run: async ({ results }, now) => {
    if (retentionDays === undefined) return undefined
    return (await results.removeBefore(now - Math.max(1, retentionDays) * day, concurrency)) === concurrency ? more : undefined
  },
})
