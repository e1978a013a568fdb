import { setTimeout as sleep } from 'node:timers/promises'
import { readRecordedSpeech } from '#test/speech/recorded-speech.ts'
import { openStage, type Stage } from '../shared/assistant-stage.ts'
import { cpuSeconds, residentMegabytes } from '../shared/child.ts'
import { rounded } from '../shared/percentiles.ts'
import { startRemoteSpeech } from './remote-speech.ts'
import { openScope } from '../shared/scope.ts'
import { threadCpuMs, threadShares } from '../shared/thread-cpu.ts'
import { TalkingPhone, utteranceOf } from './talking-phone.ts'

/**
 * Conversations per core: runs some and measures the service's CPU time per second of each; a core carries as many as fit into a second. The
 * caller says a sentence, the assistant answers with one that it never said before (uncached), and so on.
 * `node bench/assistant/sessions-per-core.ts [seconds]`.
 */
const measureMs = Number(process.argv[2] ?? 40) * 1000
const settleMs = 8_000
const thinkingMs = 1_500

type Way = 'embedded' | 'remote'
const callsOf: Record<Way, number> = { embedded: 8, remote: 40 }
const flowOf = { embedded: {}, remote: { stt: { provider: 'deepgram' }, tts: { provider: 'openai' } } }

const speech = (await readRecordedSpeech()).filter(({ text }) => text.split(/[.?!] +\S/).length === 1)
const spoken = (nth: number) => speech[nth % speech.length] ?? { text: '', samples: new Int16Array(160) }

/** Speaks whenever the assistant has finished, until aborted. */
const converse = async (stage: Stage, number: string, first: number, over: AbortSignal): Promise<number> => {
  const phone = await TalkingPhone.open(stage.scope, stage.exchange)
  await phone.dial(number)
  let spokenMs = 0
  for (let nth = first; !over.aborted; nth++) {
    await sleep(thinkingMs)
    const { samples } = spoken(nth)
    const quietFrom = stage.endpoint.ofType('assistant_speak').length
    await phone.say(utteranceOf(samples))
    spokenMs += samples.length / 8
    for (let waited = 0; waited < 8_000 && !over.aborted; waited += 100) {
      await sleep(100)
      const answers = stage.endpoint.ofType('assistant_speak').slice(quietFrom)
      if (answers.some(({ session }) => session.phone_number === number.slice(1))) break
    }
  }
  await phone.hangUp()
  return spokenMs
}

const measure = async (way: Way): Promise<void> => {
  const scope = openScope()
  const remote = way === 'remote' ? await startRemoteSpeech(scope, (nth) => spoken(nth).samples) : {}
  let answered = 0
  const stage = await openStage(
    ({ type, session }) => {
      if (type !== 'user_speak') return undefined
      // The number makes the sentence unique, so it is not cached.
      return {
        type: 'speak',
        session_id: session.id,
        text: `Number ${++answered}. ${spoken(answered).text}`,
        barge_in: { strategy: 'none' },
      }
    },
    { OFFHOOK_SPEECH: 'embedded', ...remote },
  )
  const over = new AbortController()
  const numbers = await Promise.all(Array.from({ length: callsOf[way] }, () => stage.newFlow(flowOf[way])))
  await stage.idle()
  const calls = numbers.map((number, nth) => converse(stage, number, nth * 5, over.signal))
  await sleep(settleMs)
  const [cpu, threads, from] = [cpuSeconds(stage.pid), threadCpuMs(stage.pid), performance.now()]
  await sleep(measureMs)
  const seconds = (performance.now() - from) / 1000
  const cpuPerCallSecond = (cpuSeconds(stage.pid) - cpu) / seconds / calls.length
  const cpuMsByThread = threadShares(threads, threadCpuMs(stage.pid), seconds * calls.length)
  const residentMb = residentMegabytes(stage.pid)
  over.abort()
  const callerMs = (await Promise.all(calls)).reduce((sum, ms) => sum + ms, 0)
  await stage.close()
  await scope.end()
  const events = stage.endpoint.events.filter(({ at }) => at >= from && at < from + seconds * 1000).map(({ body }) => body)
  const callSeconds = calls.length * seconds
  const assistantMs = events.reduce((sum, body) => sum + (body.type === 'assistant_speak' ? body.duration_ms : 0), 0)
  console.log(
    JSON.stringify({
      bench: 'sessions-per-core',
      what: `${way} speech: 1 / CPU seconds of the service per second of a conversation`,
      sessionsPerCore: rounded(1 / cpuPerCallSecond),
      cpuMsPerCallSecond: rounded(cpuPerCallSecond * 1000, 2),
      cpuMsByThread,
      calls: calls.length,
      turnsPerMinute: rounded((events.filter(({ type }) => type === 'user_speak').length * 60) / callSeconds),
      callerSpeaksPercent: Math.round(callerMs / 10 / (callSeconds + (calls.length * settleMs) / 1000)),
      assistantSpeaksPercent: Math.round(assistantMs / 10 / callSeconds),
      residentMb,
    }),
  )
}

await measure('embedded')
await measure('remote')
