import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '#test/machine/peer-process.ts'
import { startModelServer } from '#test/model/model-server.ts'
import { openStage } from '../shared/assistant-stage.ts'
import { openManyCalls } from '../shared/many-calls.ts'
import { rounded, spread } from '../shared/percentiles.ts'
import { openScope } from '../shared/scope.ts'
import { metricsToken, readMemory } from '../shared/service-memory.ts'
import { threadCpuMs } from '../shared/thread-cpu.ts'
import type { CallersOrder } from '../shared/tone-callers.ts'

/**
 * Cost of a prompt assistant under many concurrent calls: speech is tones and the model is scripted, so only Offhook's own work is measured. The
 * model starts after 150 ms and emits a token every 20 ms. First all callers are silent, then each caller speaks every ten seconds.
 * `node bench/assistant/prompt-calls.ts [calls] [seconds]`.
 */
const calls = Number(process.argv[2] ?? 100)
const measureMs = Number(process.argv[3] ?? 20) * 1000
const carrier = '127.0.0.2'
const words = 'a table'
const intervalMs = 10_000
const callsPerSecond = 20
const settleMs = 3_000
const goalMs = 300

const scope = openScope()
const { url, address, model } = await startModelServer(scope, [{ when: '^user', say: 'Ok. We see.', firstMs: 150, tokenMs: 20 }])
const stage = await openStage(() => undefined, {
  OFFHOOK_SPEECH: 'tones',
  OFFHOOK_METRICS_TOKEN: metricsToken,
  OFFHOOK_EGRESS_ALLOW: address,
})
const callers = fork(join(import.meta.dirname, '../shared/tone-callers.ts'))
stage.scope.after(() => callers.disconnect())
const [{ port: rtpPort }] = (await once(callers, 'message')) as [{ port: number }]
const order = (what: CallersOrder): boolean => callers.send(what)
const { admin, http, sip } = stage.exchange

const newAssistant = async (): Promise<string> => {
  const { id: aiFlowId } = await admin.createFlow({}, { name: 'Prompt', endpoint: 'assistant', language: 'en-US' })
  const settings = {
    greeting: 'Hi.',
    prompt: 'You answer.',
    disclosure: { mode: 'off' as const, reason: 'a bench' },
    result: { summary: false },
  }
  await admin.changeAssistant({ aiFlowId }, { settings: { ...settings, model: { url, name: 'scripted' } } })
  await admin.publishAssistant({ aiFlowId }, {})
  return aiFlowId
}

await stage.exchange.newTrunk(carrier)
const flowId = await newAssistant()
const number = await stage.exchange.newNumber(flowId)
const line = await openManyCalls(stage.scope, { address: carrier, server: sip, rtpPort })
const numberOf = (caller: number): string => `+49302300${String(caller).padStart(4, '0')}`
/** The first call starts the agent. */
await line.call(numberOf(0), number)
await line.hangUpAll()
await sleep(settleMs)

/** Megabytes; a thread that has just started has not reported yet. */
const agentHeap = (): Promise<number> =>
  until('the memory of the agent', async () => (await readMemory(http)).threads['agent']?.heapUsed || undefined)

/** CPU milliseconds per second of the agent's thread and of the rest of the service. */
const measure = async (): Promise<{ agent: number; rest: number }> => {
  await sleep(settleMs)
  const [before, from] = [threadCpuMs(stage.pid), performance.now()]
  await sleep(measureMs)
  const [after, seconds] = [threadCpuMs(stage.pid), (performance.now() - from) / 1000]
  const used = Object.entries(after).map(([name, ms]) => ({ isAgent: name === 'agent', ms: ms - (before[name] ?? 0) }))
  const sum = (isAgent: boolean): number => used.filter((one) => one.isAgent === isAgent).reduce((all, { ms }) => all + ms, 0)
  return { agent: sum(true) / seconds, rest: sum(false) / seconds }
}

/** Milliseconds from the model's first token to the first sound of its answer, plus the agent's time before its request. */
const soundMsOf = async (callId: string): Promise<number[]> => {
  const entries = (await admin.getTimeline({ callId })).items as Record<string, unknown>[]
  const firstTokens = entries.flatMap(({ kind, name, data }) =>
    kind === 'note' && name === 'model' ? [Number((data as { firstTokenMs?: number }).firstTokenMs)] : [],
  )
  const turns = entries.filter(({ kind, firstSoundMs }) => kind === 'turn' && typeof firstSoundMs === 'number')
  return turns
    .map(({ sentMs, firstSoundMs }, nth) => Number(firstSoundMs) - Number(sentMs) - (firstTokens[nth] ?? NaN))
    .filter((ms) => Number.isFinite(ms))
}

const heapBefore = await agentHeap()
for (let caller = 0; caller < calls; caller++) {
  order({ join: caller, port: await line.call(numberOf(caller), number) })
  await sleep(1000 / callsPerSecond)
}
const quiet = await measure()
const asked = model.requests.length
order({ text: words, intervalMs })
const busy = await measure()
const turnsPerSecond = (model.requests.length - asked) / ((measureMs + settleMs) / 1000)
const heapAfter = await agentHeap()
order({ silence: true })
await sleep(settleMs)
const running = (await admin.listCalls()).data.map(({ callId }) => callId)
const soundMs = (await Promise.all(running.map(soundMsOf))).flat()
await line.hangUpAll()
await stage.close()
await scope.end()
console.log(
  JSON.stringify({
    bench: 'prompt-calls',
    what: 'assistants from a prompt, speech is tones, the model is scripted',
    calls,
    turnsPerSecond: rounded(turnsPerSecond),
    agentCpuMsPerTurn: rounded((busy.agent - quiet.agent) / turnsPerSecond, 2),
    serviceCpuMsPerTurn: rounded((busy.rest - quiet.rest) / turnsPerSecond, 2),
    agentCpuPercentPerQuietCall: rounded(quiet.agent / 10 / calls, 3),
    firstTokenToFirstSoundMs: { ...spread(soundMs), turns: soundMs.length, goal: { p95: goalMs } },
    agentKilobytesPerCall: rounded(((heapAfter - heapBefore) * 1024) / calls, 0),
    agentHeapMegabytes: { before: heapBefore, after: heapAfter },
  }),
)
