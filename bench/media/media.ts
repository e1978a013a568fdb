import { join } from 'node:path'
import { cpuSeconds, residentMegabytes, startChild } from '../shared/child.ts'
import { startLoad } from '../shared/start-load.ts'
import type { MediaMode } from '../shared/serve-media.ts'

/**
 * CPU of the media engine per call, with a peer that also sends 50 packets a second on every leg. Pacing is measured at the peer by the kernel's
 * arrival timestamps. `node bench/media/media.ts [mode] [calls]`; OFFHOOK_MEDIA_UDP=dgram measures the path of systems other than Linux.
 */
const goals: Record<MediaMode, number> = { play: 0.05, record: 0.1, echo: 0.03, bridge: 0.06 }
const pacingGoalMs = 5
const settleMs = 2_000
const measureMs = 6_000

const measure = async (mode: MediaMode, calls: number): Promise<void> => {
  const load = await startLoad()
  const ports = mode === 'bridge' ? calls * 2 : calls
  const running = load.measure({ ports, settleMs, measureMs })
  const server = await startChild([join(import.meta.dirname, '../shared/serve-media.ts'), mode, String(calls), String(load.port)])
  await running.begun
  const cpuBefore = cpuSeconds(server.pid)
  const from = performance.now()
  await running.ended
  const seconds = (performance.now() - from) / 1000
  const cpu = cpuSeconds(server.pid) - cpuBefore
  const result = await running.result
  const kilobytes = residentMegabytes(server.pid) * 1024 - Number(server.ready.before) / 1024
  load.stop()
  await server.stop()
  console.log(
    JSON.stringify({
      bench: 'media',
      what: mode,
      udp: server.ready.udp,
      calls,
      cpuPercentPerCall: Number((((cpu / seconds) * 100) / calls).toFixed(4)),
      goal: goals[mode],
      pacingP50: result.p50,
      pacingP99: result.p99,
      pacingGoal: pacingGoalMs,
      ...(result.delayP50 !== undefined && { delayP50: result.delayP50, delayP99: result.delayP99 }),
      received: Number((result.received / (ports * 50 * seconds)).toFixed(4)),
      kilobytesPerCall: Math.round(kilobytes / calls),
    }),
  )
}

const [mode, calls] = process.argv.slice(2)
const modes = mode === undefined ? (Object.keys(goals) as MediaMode[]) : [mode as MediaMode]
for (const one of modes) for (const count of calls === undefined ? [150, 500] : [Number(calls)]) await measure(one, count)
