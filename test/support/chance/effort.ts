/**
 * Milliseconds of this thread's own processor time that `work` takes at its best. What else runs on the machine, in other threads or in the
 * collector does not count: what is slow by itself is slow each time, so it is tried again until it is `quickEnoughMs` or has had ten tries.
 */
export const leastEffortMs = (quickEnoughMs: number, work: () => unknown): number => {
  let min = Infinity
  for (let attempt = 0; attempt < 10 && min > quickEnoughMs; attempt++) {
    const before = process.threadCpuUsage()
    work()
    const { user, system } = process.threadCpuUsage(before)
    min = Math.min(min, (user + system) / 1000)
  }
  return min
}
