import { startExample } from '#test/peers/example.ts'
import { SipPhone } from '#test/phones/sip-phone.ts'
import { saysSamples } from '#test/phones/tone-speech.ts'
import { openRecogniser } from '#test/speech/embedded-speech.ts'
import { readRecording } from '#test/speech/recorded-speech.ts'
import { openStage } from '../shared/assistant-stage.ts'
import { openScope } from '../shared/scope.ts'

/**
 * Checks that callers hear the end of the assistant's last sentence before it hangs up. The assistant is the appointment-line example over a
 * WebSocket: it sends its last sentence and the hang-up together. The caller plays recordings of a person, and a recogniser transcribes the sound
 * that came over the line. `node bench/assistant/last-words.ts [calls]`.
 */
const calls = Number(process.argv[2] ?? 20)
/** More concurrent calls would wait for each other's speech synthesis. */
const concurrency = 2
const answers = ['digits/day-5', 'digits/3', 'if-correct-press']
const lastWords = /booked.*thank you.*goodbye\W*$/i
const timeoutMs = 30_000
const lastMs = 10_000

const scope = openScope()
const appointments = await startExample(scope, 'appointments', {}, 'assistant.ts')
const stage = await openStage(() => undefined, { OFFHOOK_SPEECH: 'embedded', OFFHOOK_EGRESS_ALLOW: new URL(appointments).host })
const number = await stage.newFlow({ websocketUrl: appointments })
await stage.idle()
const recordings = await Promise.all(answers.map(async (name) => (await readRecording(name)).samples))

const isLoud = (sample: number): boolean => Math.abs(sample) > 300

/** Speaks after the assistant has spoken and then been silent for a while. */
const speakInSequence = async ({ rtp }: SipPhone, samples: Int16Array): Promise<void> => {
  await rtp.until(() => rtp.recent(300).some(isLoud), 'the assistant is silent', timeoutMs)
  await rtp.until(() => !rtp.recent(2_000).some(isLoud), 'the assistant speaks on and on', timeoutMs)
  saysSamples(rtp, samples)
}

/** Returns the last sound heard before the assistant hung up. */
const converse = async (): Promise<Int16Array> => {
  const { user, password } = await stage.exchange.newDevice()
  const phone = await SipPhone.open(stage.scope, { server: stage.exchange.sip, user, password })
  const { answered, ended } = phone.call(number)
  await answered
  for (const samples of recordings) await speakInSequence(phone, samples)
  await ended
  return phone.rtp.recent(lastMs)
}

const waiting = Array.from({ length: calls }).values()
const heard: (Int16Array | undefined)[] = []
const work = async (): Promise<void> => {
  for (const _ of waiting) heard.push(await converse().catch(() => undefined))
}
await Promise.all(Array.from({ length: concurrency }, work))
const hear = await openRecogniser(stage.scope)
const texts: string[] = []
for (const sound of heard)
  if (sound)
    texts.push(
      await hear(
        Float32Array.from(sound, (sample) => sample / 32_768),
        'en-US',
      ),
    )
await stage.close()
await scope.end()

console.log(
  JSON.stringify({
    bench: 'last-words',
    what: 'calls in which the last sentence was heard to its end before the assistant hung up',
    calls,
    heard: texts.filter((text) => lastWords.test(text)).length,
    goal: 20,
    /** Calls whose conversation did not reach the end. */
    notEnded: heard.filter((sound) => !sound).length,
    otherwise: texts.filter((text) => !lastWords.test(text)),
  }),
)
