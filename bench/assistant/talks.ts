import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { TalkClient } from '#test/phones/talk-client.ts'
import { ToneCaller } from '#test/sound/tone-caller.ts'
import { openStage } from '../shared/assistant-stage.ts'
import { cpuSeconds } from '../shared/child.ts'
import { openManyCalls } from '../shared/many-calls.ts'
import { rounded } from '../shared/percentiles.ts'
import type { CallersOrder } from '../shared/tone-callers.ts'

/**
 * Cost of a browser call compared with a telephone call: silent sessions with an assistant, with sound in both directions. Runs as many as one
 * user may have. `node bench/assistant/talks.ts [seconds]`.
 */
const measureMs = Number(process.argv[2] ?? 10) * 1000
const sessions = 5
const settleMs = 2_000
const carrier = '127.0.0.2'

const stage = await openStage(() => undefined, { OFFHOOK_SPEECH: 'tones' })
const { admin, sip } = stage.exchange
const flow = await admin.createFlow({}, { name: 'Talks', webhookUrl: stage.endpoint.url })
await stage.exchange.newTrunk(carrier)
const number = await stage.exchange.newNumber(flow.id)
await stage.idle()

/** Percent of a core. */
const measure = async (): Promise<number> => {
  await sleep(settleMs)
  const [cpu, from] = [cpuSeconds(stage.pid), performance.now()]
  await sleep(measureMs)
  return ((cpuSeconds(stage.pid) - cpu) * 100_000) / (performance.now() - from)
}

const talks = async (): Promise<number> => {
  const clients: TalkClient[] = []
  const mouths: ToneCaller[] = []
  for (let i = 0; i < sessions; i++) {
    const client = await TalkClient.open(stage.scope, (await admin.startTalk({ aiFlowId: flow.id }, {})).url)
    mouths.push(new ToneCaller(stage.scope, (frame) => client.sendSound(frame)))
    clients.push(client)
  }
  const percent = await measure()
  for (const client of clients) client.send({ type: 'hangup' })
  await Promise.all(clients.map(({ closed }) => closed))
  return percent
}

const phones = async (): Promise<number> => {
  const callers = fork(join(import.meta.dirname, '../shared/tone-callers.ts'))
  stage.scope.after(() => callers.disconnect())
  const [{ port: rtpPort }] = (await once(callers, 'message')) as [{ port: number }]
  const calls = await openManyCalls(stage.scope, { address: carrier, server: sip, rtpPort })
  for (let caller = 0; caller < sessions; caller++) {
    const port = await calls.call(`+493023000${caller}`, number)
    callers.send({ join: caller, port } satisfies CallersOrder)
  }
  const percent = await measure()
  await calls.hangUpAll()
  return percent
}

const idle = await measure()
const [talking, phoning] = [await talks(), await phones()]
await stage.close()
const each = (percent: number): number => rounded((percent - idle) / sessions, 2)
console.log(
  JSON.stringify({
    bench: 'talks',
    sessions,
    cpuPercentPerTalk: each(talking),
    cpuPercentPerPhone: each(phoning),
    cpuPercentIdle: rounded(idle),
  }),
)
