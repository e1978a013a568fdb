import { loadavg } from 'node:os'
import { startExchange, type Exchange } from '#test/service/exchange.ts'
import { sipp, startSipp, type Sipp } from '#test/peers/sipp.ts'
import { cpuSeconds, median, residentMegabytes } from '../shared/child.ts'
import { openScope } from '../shared/scope.ts'

/**
 * Cost of a heap limit: CPU per bridged call, the same service with several limits, alternating, so that other load affects all.
 * `node bench/start/heap.ts [rounds] [calls per round]`.
 */
const rounds = Number(process.argv[2] ?? 5)
const calls = Number(process.argv[3] ?? 400)
const limits = ['0', '256', '128']
const carrier = '127.0.0.2'

const scope = openScope()

interface Candidate {
  limit: string
  exchange: Exchange
  pid: number
  number: string
  cpuMsPerCall: number[]
  failed: number
}

const startCandidate = async (limit: string, phone: Sipp): Promise<Candidate> => {
  const exchange = await startExchange(scope, { OFFHOOK_LOG: 'error', OFFHOOK_RATE_LIMIT: '0', OFFHOOK_HEAP_MB: limit })
  await exchange.newTrunk(carrier)
  const number = await exchange.numberOf(scope, phone)
  return { limit, exchange, pid: exchange.program.child.pid ?? -1, number, cpuMsPerCall: [], failed: 0 }
}

const callMany = async (candidate: Candidate): Promise<void> => {
  const { exchange, number, pid } = candidate
  const before = cpuSeconds(pid)
  const run = { scenario: 'uac', target: exchange.sip, address: carrier, service: number, calls, rate: 25, concurrent: 1000 }
  const { failed } = await sipp(scope, run)
  candidate.failed += failed
  candidate.cpuMsPerCall.push(Number((((cpuSeconds(pid) - before) * 1000) / calls).toFixed(2)))
}

try {
  const phone = await startSipp(scope, { scenario: 'uas', calls: 1_000_000 })
  const candidates: Candidate[] = []
  for (const limit of limits) candidates.push(await startCandidate(limit, phone))
  for (const candidate of candidates) await callMany(candidate)
  for (const candidate of candidates) candidate.cpuMsPerCall = [] // the first round is the warm-up
  for (let round = 0; round < rounds; round++) for (const candidate of candidates) await callMany(candidate)
  const figures = candidates.map(({ limit, pid, cpuMsPerCall, failed }) => ({
    limit,
    cpuMsPerCall,
    median: median(cpuMsPerCall),
    failed,
    residentMb: residentMegabytes(pid),
  }))
  console.log(JSON.stringify({ bench: 'heap', rounds, calls, load: Math.round(loadavg()[0] ?? 0), figures }))
} finally {
  await scope.end()
}
