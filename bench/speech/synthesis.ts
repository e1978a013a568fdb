import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { modelsFolder } from '#adapters/speech/models/model-list.ts'
import { openProgramVoices } from '#adapters/speech/synthesiser/program-voices.ts'
import { openSynthesiser } from '#adapters/speech/synthesiser/synthesiser.ts'
import type { Tts } from '#core/kernel/ports/speech.ts'
import { spokenText } from '#core/speech/text-normalization/spoken-text.ts'
import { rounded, spread } from '../shared/percentiles.ts'

/** Cost of a voice and time from the text to its first sound, without a cache. */
const folder = modelsFolder(process.env['OFFHOOK_MODELS'])
const log = (): void => {}

const texts: Record<string, string[]> = {
  en: [
    'Thank you for calling, how may I help you today?',
    'One moment please, I am looking for your appointment.',
    'Your next appointment is on Thursday at half past ten.',
    'I am sorry, I did not understand that. Could you say it again?',
    'The total is $42.50, payable within 14 days.',
    'Certainly. Is there anything else that I can do for you?',
    'Your parcel will be delivered between nine and eleven tomorrow morning.',
    'Please tell me the number that stands at the top of your invoice.',
    'We are open from Monday to Friday between eight and five.',
  ],
  de: [
    'Vielen Dank für Ihren Anruf, wie kann ich Ihnen helfen?',
    'Einen Moment bitte, ich suche Ihren Termin.',
    'Ihr nächster Termin ist am Donnerstag um halb elf.',
    'Das habe ich leider nicht verstanden. Können Sie es wiederholen?',
    'Der Betrag ist 42,50 €, zahlbar innerhalb von 14 Tagen.',
    'Sehr gerne. Kann ich sonst noch etwas für Sie tun?',
    'Ihr Paket wird morgen Vormittag zwischen neun und elf Uhr geliefert.',
    'Bitte nennen Sie mir die Nummer oben rechts auf Ihrer Rechnung.',
    'Wir haben von Montag bis Freitag zwischen acht und siebzehn Uhr geöffnet.',
  ],
}
const rounds = 2

/** CPU seconds of this process and of the programs it has started. */
const processorSeconds = (): number => {
  const { user, system } = process.cpuUsage()
  const fields = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  const ticksPerSecond = 100
  return (user + system) / 1e6 + (Number(fields[13]) + Number(fields[14])) / ticksPerSecond
}

interface Said {
  firstMs: number
  firstCpuMs: number
  seconds: number
}

/** `ahead`: seconds of the same speech still to be played, so latency does not matter. */
const measure = async (tts: Tts, language: string, ahead?: number): Promise<object> => {
  const say = async (text: string): Promise<Said> => {
    const said: Said = { firstMs: 0, firstCpuMs: 0, seconds: 0 }
    const start = performance.now()
    const startCpu = processorSeconds()
    const utterance = { text: spokenText(text, language), language, ...(ahead !== undefined && { ahead }) }
    for await (const piece of tts.synthesize(utterance, new AbortController().signal)) {
      said.firstMs ||= performance.now() - start
      said.firstCpuMs ||= (processorSeconds() - startCpu) * 1000
      said.seconds += piece.length / tts.rate
    }
    return said
  }
  await say(texts[language]?.[0] ?? '')
  const before = processorSeconds()
  const spoken: Said[] = []
  for (let round = 0; round < rounds; round++) for (const text of texts[language] ?? []) spoken.push(await say(text))
  const seconds = spoken.reduce((sum, one) => sum + one.seconds, 0)
  return {
    voice: tts.name,
    language,
    ...(ahead !== undefined && { aheadMs: ahead }),
    cpuPerSecond: rounded((processorSeconds() - before) / seconds, 3),
    firstSoundMs: spread(spoken.map(({ firstMs }) => firstMs)),
    firstSoundCpuMs: spread(spoken.map(({ firstCpuMs }) => firstCpuMs)),
  }
}

const programs = await openProgramVoices(log)
const synthesiser = openSynthesiser({ models: { folderWith: () => Promise.resolve(folder ?? '') }, workers: 1, others: [], log })
const figures: object[] = []
for (const language of ['en', 'de']) figures.push(await measure(synthesiser, language, 10_000))
for (const tts of [synthesiser, programs.pico, programs.espeak]) {
  for (const language of ['en', 'de']) if (tts) figures.push(await measure(tts, language))
}
await synthesiser.close()
await programs.close()
console.log(JSON.stringify({ bench: 'synthesis', processors: availableParallelism(), voices: figures }))
