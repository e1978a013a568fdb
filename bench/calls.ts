import { startExchange } from '#test/service/exchange.ts'
import { sipp, startSipp, type SippOptions } from '#test/peers/sipp.ts'
import { cpuSeconds, residentMegabytes } from './child.ts'
import { setupTimes } from './setup-times.ts'

/**
 * What setting up and tearing down a call costs us, as CPU time of the whole process, with sipp as the other side.
 * answered: the demo flow takes the call, audio begins, the caller hangs up at once. bridged: the same with a registered phone behind us,
 * two legs to each call. Set-up: from INVITE to 200, as the caller sees it; the phone answers in the same moment, so that no time in it is the phone's.
 */
const warmUp = 300
const calls = 2000
const rate = 50
const carrier = '127.0.0.2'

const closing: (() => unknown)[] = []
const scope = { after: (close: () => unknown): void => void closing.push(close) }

const settings = { OFFHOOK_LOG: 'error', OFFHOOK_RATE_LIMIT: '0' }

interface Figures {
  cpuMsPerCall: number
  setupP50Ms: number
  setupP95Ms: number
  failed: number
}

const figuresOf = async (pid: number, run: SippOptions): Promise<Figures> => {
  await sipp(scope, { ...run, calls: warmUp })
  const before = cpuSeconds(pid)
  const { failed, messages } = await sipp(scope, { ...run, calls, traced: true })
  const cpuMsPerCall = Number((((cpuSeconds(pid) - before) * 1000) / calls).toFixed(3))
  const times = setupTimes(messages).toSorted((a, b) => a - b)
  const at = (part: number): number => Number((times[Math.floor(times.length * part)] ?? NaN).toFixed(2))
  return { cpuMsPerCall, setupP50Ms: at(0.5), setupP95Ms: at(0.95), failed }
}

try {
  const exchange = await startExchange(scope, settings)
  const { pid = -1 } = exchange.program.child
  await exchange.newTrunk(carrier)
  const run = { scenario: 'uac', target: exchange.sip, address: carrier, rate, concurrent: 1000, limitMs: 120_000 }
  const answered = await figuresOf(pid, { ...run, service: exchange.demoNumber })
  const phone = await startSipp(scope, { scenario: 'uas-at-once', calls: 1_000_000 })
  const bridged = await figuresOf(pid, { ...run, service: await exchange.numberOf(scope, phone) })
  console.log(JSON.stringify({ bench: 'calls', calls, rate, answered, bridged, residentMb: residentMegabytes(pid) }))
} finally {
  for (const close of closing) await close()
}
