import { readdirSync, readFileSync } from 'node:fs'

/** Exact CPU milliseconds of each thread of a process; threads of the same name are summed. */
export const threadCpuMs = (pid: number): Record<string, number> => {
  const sums: Record<string, number> = {}
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const name = thread === String(pid) ? 'main' : textOf(pid, thread, 'comm').trim()
    sums[name] = (sums[name] ?? 0) + Number(textOf(pid, thread, 'schedstat').split(' ')[0]) / 1e6
  }
  return sums
}

/** CPU of each thread between two samples, divided by `times`. Omits nearly idle threads. */
export const threadShares = (before: Record<string, number>, after: Record<string, number>, times: number): Record<string, number> =>
  Object.fromEntries(
    Object.entries(after)
      .map(([name, ms]): [string, number] => [name, Number(((ms - (before[name] ?? 0)) / times).toFixed(3))])
      .filter(([, ms]) => ms >= 0.001),
  )

/** A thread may end while it is read. */
const textOf = (pid: number, id: string, file: string): string => {
  try {
    return readFileSync(`/proc/${pid}/task/${id}/${file}`, 'utf8')
  } catch {
    return '0 ended'
  }
}
