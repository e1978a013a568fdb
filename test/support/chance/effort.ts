/**
 * Minimum CPU milliseconds of this thread for `work`. Other programs, other threads and the garbage collector do not count: slow code is slow each
 * time, so it retries until the result is `quickEnoughMs` or it had ten tries.
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
