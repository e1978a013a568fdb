import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { sipp, startSipp } from '#test/peers/sipp.ts'
import { openStage } from '../shared/assistant-stage.ts'
import { cpuSeconds } from '../shared/child.ts'
import { metricsToken, readMemory, type ServiceMemory } from '../shared/service-memory.ts'

/**
 * Memory of the service after many calls, and when idle again. bridged: short calls to a registered phone. assistant: calls of a second to a flow
 * that calls its endpoint and speaks; speech is tones, so that every ring buffer and track is used and nothing else is measured.
 * `node bench/start/memory.ts [bridged calls] [assistant calls] [megabytes of heap]`.
 */
const bridgedCalls = Number(process.argv[2] ?? 20_000)
const assistantCalls = Number(process.argv[3] ?? 5_000)
const heapMegabytes = process.argv[4] ?? '256'
const carrier = '127.0.0.2'
/** Thread figures are slightly stale. */
const settleMs = 3_000
const restMs = 200_000

interface Run {
  service: string
  calls: number
  each: number
  rate: number
  talkMs: number
}

interface Reading extends ServiceMemory {
  calls: number
  /** Failed calls of this part. */
  failed: number
  cpuMsPerCall: number
  load: number
}

const stage = await openStage(
  ({ type, session }) =>
    type === 'session_start' ? { type: 'speak', session_id: session.id, text: 'good day', barge_in: { strategy: 'none' } } : undefined,
  { OFFHOOK_SPEECH: 'tones', OFFHOOK_LOG: 'error', OFFHOOK_METRICS_TOKEN: metricsToken, OFFHOOK_HEAP_MB: heapMegabytes },
)
const { exchange, scope, pid } = stage

let total = 0

const runs = async ({ service, calls, each, rate, talkMs }: Run): Promise<Reading[]> => {
  const readings: Reading[] = []
  for (let done = 0; done < calls; done += each) {
    const before = cpuSeconds(pid)
    const { failed } = await sipp(scope, {
      scenario: 'uac',
      target: exchange.sip,
      address: carrier,
      service,
      calls: each,
      rate,
      concurrent: 1000,
      limitMs: 900_000,
      more: ['-d', String(talkMs)],
    })
    const cpuMsPerCall = Number((((cpuSeconds(pid) - before) * 1000) / each).toFixed(2))
    await sleep(settleMs)
    const reading = {
      calls: (total += each),
      failed,
      cpuMsPerCall,
      load: Math.round(loadavg()[0] ?? 0),
      ...(await readMemory(exchange.http)),
    }
    readings.push(reading)
    console.error(JSON.stringify(reading))
  }
  return readings
}

try {
  await exchange.newTrunk(carrier)
  const phone = await startSipp(scope, { scenario: 'uas', calls: 1_000_000 })
  const atStart = await readMemory(exchange.http)
  const bridged: Reading[] = []
  // A registration lasts ten minutes.
  for (let done = 0; done < bridgedCalls; done += 5_000) {
    const service = await exchange.numberOf(scope, phone)
    bridged.push(...(await runs({ service, calls: Math.min(5_000, bridgedCalls - done), each: 1_000, rate: 40, talkMs: 0 })))
  }
  await sleep(restMs)
  const afterBridged = await readMemory(exchange.http)
  const assistant = await runs({ service: await stage.newFlow(), calls: assistantCalls, each: 250, rate: 12, talkMs: 1_000 })
  await sleep(restMs)
  const afterAssistant = await readMemory(exchange.http)
  console.log(JSON.stringify({ bench: 'memory', heapMegabytes, atStart, bridged, afterBridged, assistant, afterAssistant }))
} finally {
  await stage.close()
}
