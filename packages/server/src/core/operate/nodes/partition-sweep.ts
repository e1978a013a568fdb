import type { Recurring } from '#core/kernel/work/recurring.ts'

/** Many times before the days that are made ahead are used up. */
export const partitionSweep: Recurring = {
  kind: 'partition.sweep',
  everyMs: 12 * 3_600_000,
  run: ({ partitions }, now) => partitions.keepAhead(now),
}
