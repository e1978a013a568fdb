import { availableParallelism, cpus, loadavg } from 'node:os'

/** Load of the whole machine: latencies from an overloaded one are not meaningful. */
export const watchMachine = (): (() => { processors: number; busy: number; load: number }) => {
  const before = ticks()
  return () => {
    const after = ticks()
    const busy = 1 - (after.idle - before.idle) / Math.max(1, after.all - before.all)
    return { processors: availableParallelism(), busy: Number(busy.toFixed(2)), load: Number((loadavg()[0] ?? 0).toFixed(1)) }
  }
}

const ticks = (): { idle: number; all: number } =>
  cpus().reduce(
    (sum, { times }) => ({ idle: sum.idle + times.idle, all: sum.all + times.user + times.nice + times.sys + times.irq + times.idle }),
    { idle: 0, all: 0 },
  )
