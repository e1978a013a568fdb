import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { residentMegabytes, startChild } from '../shared/child.ts'
import { openScope } from '../shared/scope.ts'

/** Cost of the idle service: CPU and wake-ups of each thread, a while after the start. `node bench/start/idle.ts [off|embedded]`. */
const speech = process.argv[2] ?? 'off'
const settleMs = 10_000
const measureMs = 60_000

interface Thread {
  name: string
  cpuMs: number
  wakeUps: number
}

const threads = (pid: number): Map<string, Thread> =>
  new Map(
    readdirSync(`/proc/${pid}/task`).map((id) => {
      const folder = `/proc/${pid}/task/${id}`
      const name = readFileSync(`${folder}/comm`, 'utf8').trim()
      const [nanoseconds = 0, , wakeUps = 0] = readFileSync(`${folder}/schedstat`, 'utf8').split(' ').map(Number)
      return [id, { name, cpuMs: nanoseconds / 1e6, wakeUps }]
    }),
  )

const scope = openScope()
const data = await temporaryFolder(scope)
const service = await startChild([join(import.meta.dirname, '../../bin/offhook.mjs'), 'serve'], {
  OFFHOOK_HTTP: '127.0.0.1:0',
  OFFHOOK_SIP: '127.0.0.1:0',
  OFFHOOK_DATA: data,
  OFFHOOK_SPEECH: speech,
})
await pause(settleMs)
const before = threads(service.pid)
await pause(measureMs)
const perSecond = (value: number): number => Math.round((value / measureMs) * 1_000_000) / 1_000
const spent = [...threads(service.pid)].map(([id, { name, cpuMs, wakeUps }]) => {
  const { cpuMs: cpu = 0, wakeUps: woken = 0 } = before.get(id) ?? {}
  return { name, cpuMsPerSecond: perSecond(cpuMs - cpu), wakeUpsPerSecond: perSecond(wakeUps - woken) }
})
const residentMb = residentMegabytes(service.pid)
await service.stop()
await scope.end()
const sum = (of: (one: (typeof spent)[number]) => number): number =>
  Math.round(spent.reduce((all, one) => all + of(one), 0) * 1_000) / 1_000
console.log(
  JSON.stringify({
    bench: 'idle',
    speech,
    cpuMsPerSecond: sum((one) => one.cpuMsPerSecond),
    wakeUpsPerSecond: sum((one) => one.wakeUpsPerSecond),
    residentMb,
    threads: spent.filter(({ wakeUpsPerSecond }) => wakeUpsPerSecond > 0),
  }),
)
