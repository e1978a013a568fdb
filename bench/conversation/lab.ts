import { setTimeout as sleep } from 'node:timers/promises'
import type { AssistantEvent } from '@offhook/contract/assistant/events.ts'
import type { LabReport } from '@offhook/contract/v2/lab.ts'
import { resampleSound } from '#media/codec/resample.ts'
import { TalkClient } from '#test/phones/talk-client.ts'
import { ToneCaller } from '#test/sound/tone-caller.ts'
import { openStage, type Stage } from '../shared/assistant-stage.ts'
import { cpuSeconds } from '../shared/child.ts'
import { rounded } from '../shared/percentiles.ts'
import { joined, sampleRate, silence } from './sets/recording.ts'
import { readCutSentences, readTurnSet } from './sets/turn-set.ts'

/**
 * Validates the lab: plays people's recordings into browser calls, with the embedded models, in real time, and records them. Then the lab replays
 * them with the settings of the call and must end the turns where the call ended them. `node bench/conversation/lab.ts [seconds] [calls]`.
 */
const seconds = Number(process.argv[2] ?? 150)
const calls = Number(process.argv[3] ?? 4)
const talkRate = 16_000
const turnTimeoutMs = 4_000
const gapMs = 300
/** Offset into a long answer at which the caller interrupts, in every n-th turn. */
const intoAnswerMs = 1_200
const interruptEvery = 6

const long =
  'The office is open from nine to five on all days but Sunday, and you will find us on the second floor behind the library. ' +
  'There is a place for bicycles in the yard, and the bus stops right before the door.'

/** Answers briefly, and from time to time at a length that can be interrupted. */
const answer = (event: AssistantEvent): unknown => {
  const speak = (text: string) => ({ type: 'speak', session_id: event.session.id, text })
  if (event.type === 'session_start') return speak('Hello.')
  if (event.type !== 'user_speak') return undefined
  const nth = (turns.get(event.session.id) ?? 0) + 1
  turns.set(event.session.id, nth)
  return speak(nth % interruptEvery === 0 ? long : 'Okay.')
}
const turns = new Map<string, number>()

/** Utterances of callers: as recorded, and sentences with a pause in the middle. */
const spokenContent = async (): Promise<Int16Array[]> => {
  const pauses = [400, 600, 800, 1100]
  const halves = (await readCutSentences('held-out')).map(({ parts: [first, second] }, nth) =>
    joined([first, silence(pauses[nth % pauses.length] ?? 0), second]),
  )
  const whole = (await readTurnSet('held-out')).filter(({ kind }) => kind !== 'cut').map(({ samples }) => samples)
  return whole.flatMap((samples, nth) => (nth % 3 === 2 && halves.length > 0 ? [samples, halves[nth % halves.length]!] : [samples]))
}

/** One call until the deadline. */
const call = async (stage: Stage, aiFlowId: string, next: () => Int16Array, until: number): Promise<string> => {
  const client = await TalkClient.open(stage.scope, (await stage.exchange.admin.startTalk({ aiFlowId }, {})).url)
  const mouth = new ToneCaller(stage.scope, (frame) => client.sendSound(frame))
  client.onSound = (frame) => mouth.hears(frame)
  const { callId } = await client.onEvent('ready')
  await client.onEvent('answered')
  await sleep(1_500)
  while (performance.now() < until) {
    const before = turns.get(callId) ?? 0
    await mouth.says(resampleSound(next(), sampleRate, talkRate))
    for (const end = performance.now() + turnTimeoutMs; performance.now() < end && (turns.get(callId) ?? 0) === before;) await sleep(20)
    const loud = (): boolean => mouth.recent(200).some((sample) => Math.abs(sample) > 500)
    await sleep((turns.get(callId) ?? 0) % interruptEvery === 0 ? intoAnswerMs : 900)
    if ((turns.get(callId) ?? 0) % interruptEvery !== 0) for (let quiet = 0; quiet < 3; quiet = loud() ? 0 : quiet + 1) await sleep(60)
    await sleep(gapMs)
  }
  await sleep(2_500)
  client.send({ type: 'hangup' })
  await client.closed
  return callId
}

const sweep = [300, 500, 700, 900, 1200].map((ms) => ({ name: `${ms} ms`, settings: { vad: { end_of_turn_silence_ms: ms } } }))

const stage = await openStage(answer, { OFFHOOK_SPEECH: 'embedded', OFFHOOK_ENGLISH: 'tiny' })
const flow = await stage.exchange.admin.createFlow({}, { name: 'Lab', webhookUrl: stage.endpoint.url, language: 'en-US', recording: true })
const said = await spokenContent()
let nth = 0
const next = (): Int16Array => said[(nth++ * 37) % said.length]!
const until = performance.now() + seconds * 1000
const callIds = await Promise.all(Array.from({ length: calls }, () => call(stage, flow.id, next, until)))
const reports: LabReport[] = []
const cpu = cpuSeconds(stage.pid)
for (const callId of callIds) reports.push(await stage.exchange.admin.runLab({ callId }, { variants: [{ settings: {} }] }))
const once = cpuSeconds(stage.pid) - cpu
const [first = ''] = callIds
const { seconds: sweptSeconds } = await stage.exchange.admin.runLab({ callId: first }, { variants: sweep })
const swept = cpuSeconds(stage.pid) - cpu - once
const heard = reports.reduce((sum, report) => sum + report.seconds, 0)
const sum = (of: (report: LabReport) => number | undefined): number => reports.reduce((all, report) => all + (of(report) ?? 0), 0)
if (process.env['LAB_DETAILS'] !== undefined) console.log(JSON.stringify(reports))
await stage.close()
console.log(
  JSON.stringify({
    bench: 'lab',
    calls,
    secondsOfSound: Math.round(heard),
    turns: sum(({ agreement }) => agreement?.turns),
    same: sum(({ agreement }) => agreement?.same),
    interruptions: sum(({ live }) => live?.interruptions.length),
    interruptionsAgain: sum(({ variants: [as] }) => as?.interruptions.length),
    cpuMsPerSecond: rounded((once * 1000) / heard, 1),
    cpuMsPerSecondOfSweep: rounded((swept * 1000) / sweptSeconds, 1),
    variantsOfSweep: sweep.length,
  }),
)
