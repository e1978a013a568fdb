import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'

/** Resources used by a process so far: CPU seconds, and bytes of resident memory. */
interface ProcessUse {
  seconds: number
  bytes: number
}

/** Zero if the system does not report it, or the process has ended. */
export type ReadUse = (pid: number) => Promise<ProcessUse>

/** Unit of CPU time on Linux, on every machine. */
const ticksPerSecond = 100

export const useFromProc: ReadUse = async (pid) => {
  const [stat, status] = await Promise.all(['stat', 'status'].map((file) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')))
  // The name, in brackets, may contain anything; utime and stime are the 12th and 13th fields after it.
  const [user = 0, system = 0] = (stat ?? '')
    .replace(/^.*\) /s, '')
    .split(' ')
    .slice(11, 13)
    .map(Number)
  const kilobytes = Number(/^VmRSS:\s+(\d+) kB/m.exec(status ?? '')?.[1] ?? 0)
  return { seconds: (user + system) / ticksPerSecond, bytes: kilobytes * 1024 }
}

/** For systems without /proc. It costs a process per call. */
export const useFromPs: ReadUse = (pid) =>
  new Promise((resolve) => {
    execFile('ps', ['-o', 'time=,rss=', '-p', String(pid)], { env: { LC_ALL: 'C', PATH: process.env.PATH ?? '' } }, (_, notified) =>
      resolve(readPs(notified)),
    )
  })

/** `0:01.50 20480` on a Mac, `00:00:01 20480` on Linux, `1-02:03:04` after a day. */
export const readPs = (notified: string): ProcessUse => {
  const [, days = 0, clock = '', kilobytes = 0] = /^\s*(?:(\d+)-)?([\d:.]+)\s+(\d+)\s*$/.exec(notified) ?? []
  const seconds = clock.split(':').reduce((sum, part) => sum * 60 + Number(part), 0)
  return { seconds: Number(days) * 86_400 + seconds, bytes: Number(kilobytes) * 1024 }
}

export const hasProc = (): boolean => existsSync('/proc/self/stat')
