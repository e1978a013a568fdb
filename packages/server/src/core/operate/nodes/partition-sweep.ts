import type { Recurring } from '#core/kernel/work/recurring.ts'

/** Runs many times before the partitions created ahead are used up. */
export const partitionSweep: Recurring = {
  kind: 'partition.sweep',
  intervalMs: 12 * 3_600_000,
  run: ({ partitions }, now) => partitions.keepAhead(now),
}
