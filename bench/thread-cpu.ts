import { readdirSync, readFileSync } from 'node:fs'

/** CPU milliseconds of each thread of a process, exactly; those of the same name are added up. */
export const threadCpuMs = (pid: number): Record<string, number> => {
  const sums: Record<string, number> = {}
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const folder = `/proc/${pid}/task/${thread}`
    const name = thread === String(pid) ? 'main' : readFileSync(`${folder}/comm`, 'utf8').trim()
    sums[name] = (sums[name] ?? 0) + Number(readFileSync(`${folder}/schedstat`, 'utf8').split(' ')[0]) / 1e6
  }
  return sums
}

/** What each thread took between two looks, divided by `times`. Threads that did next to nothing are left out. */
export const threadShares = (before: Record<string, number>, after: Record<string, number>, times: number): Record<string, number> =>
  Object.fromEntries(
    Object.entries(after)
      .map(([name, ms]): [string, number] => [name, Number(((ms - (before[name] ?? 0)) / times).toFixed(3))])
      .filter(([, ms]) => ms >= 0.001),
  )
