import { sipp, startSipp, type SippOptions } from '#test/peers/sipp.ts'
import { startExchange } from '#test/service/exchange.ts'
import { runAsked, WrongOptions, writtenOptions } from '../shared/asked.ts'
import { residentMegabytes } from '../shared/child.ts'
import { percentile, rounded } from '../shared/percentiles.ts'
import { openScope } from '../shared/scope.ts'
import { setupTimes } from '../shared/setup-times.ts'
import { threadCpuMs, threadShares } from '../shared/thread-cpu.ts'

/**
 * Cost of setting up and tearing down a call, as exact CPU time of the whole process and of each thread, with sipp as the peer.
 * answered: the demo flow takes the call, audio begins, the caller hangs up immediately. bridged: the same with a registered phone as callee, so two
 * legs per call. Set-up: from INVITE to 200 at the caller; the phone answers immediately, so it adds no time.
 */
const usage = 'node bench/calls/calls.ts [--only answered|bridged] [--calls 2000] [--rate 50]'
const warmUp = 300
const carrier = '127.0.0.2'
const settings = { OFFHOOK_LOG: 'error', OFFHOOK_RATE_LIMIT: '0' }

interface Figures {
  cpuMsPerCall: number
  cpuMsByThread: Record<string, number>
  setupP50Ms: number
  setupP95Ms: number
  failed: number
}

const readOptions = () => {
  const { only, calls, rate } = writtenOptions(
    process.argv.slice(2),
    { only: { type: 'string' }, calls: { type: 'string', default: '2000' }, rate: { type: 'string', default: '50' } },
    usage,
  )
  if (only !== undefined && only !== 'answered' && only !== 'bridged') throw new WrongOptions(`--only ${only}: answered or bridged`, usage)
  if (!(Number(calls) >= 1 && Number(rate) >= 1)) throw new WrongOptions('--calls and --rate: numbers from 1 on', usage)
  return { only, calls: Number(calls), rate: Number(rate) }
}

const measure = async (): Promise<void> => {
  const { only, calls, rate } = readOptions()
  const scope = openScope()

  const figuresOf = async (pid: number, run: SippOptions): Promise<Figures> => {
    await sipp(scope, { ...run, calls: warmUp })
    const before = threadCpuMs(pid)
    const { failed, messages } = await sipp(scope, { ...run, calls, traced: true })
    const cpuMsByThread = threadShares(before, threadCpuMs(pid), calls)
    const times = setupTimes(messages)
    const at = (share: number): number => percentile(times, share, 2)
    const cpuMsPerCall = rounded(
      Object.values(cpuMsByThread).reduce((sum, ms) => sum + ms, 0),
      3,
    )
    return { cpuMsPerCall, cpuMsByThread, setupP50Ms: at(0.5), setupP95Ms: at(0.95), failed }
  }

  try {
    const exchange = await startExchange(scope, settings)
    const { pid = -1 } = exchange.program.child
    await exchange.newTrunk(carrier)
    const run = { scenario: 'uac', target: exchange.sip, address: carrier, rate, concurrent: 1000, limitMs: 120_000 }
    const answered = only === 'bridged' ? undefined : await figuresOf(pid, { ...run, service: exchange.demoNumber })
    const phone = await startSipp(scope, { scenario: 'uas-at-once', calls: 1_000_000 })
    const service = await exchange.numberOf(scope, phone)
    const bridged = only === 'answered' ? undefined : await figuresOf(pid, { ...run, service })
    console.log(JSON.stringify({ bench: 'calls', calls, rate, answered, bridged, residentMb: residentMegabytes(pid) }))
  } finally {
    await scope.end()
  }
}

await runAsked(measure)
