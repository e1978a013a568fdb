import { mkdtemp, rm, readFile, access, constants } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, delimiter, isAbsolute } from 'node:path'
import { type Tts, SpeechUnavailable, type KnownVoice, type Utterance } from '#core/kernel/ports/speech.ts'
import type { Log } from '#log/log-events.ts'
import { voiceOf } from './voice-languages.ts'
import { utterancesOf } from '#core/speech/text-normalization/sentences.ts'
import { readSound } from '#media/sound/wav.ts'
import { shapeSound } from './shape-sound.ts'
import { spawn } from 'node:child_process'

export interface ProgramVoices {
  pico?: Tts
  espeak?: Tts
  close: () => Promise<void>
}

/** Voices of installed programs. */
export const openProgramVoices = async (log: Log, path = process.env['PATH'] ?? ''): Promise<ProgramVoices> => {
  const opened: Program[] = []
  const open = async (name: string): Promise<Program | undefined> => {
    const file = await findProgram(name, path)
    if (file === undefined) return undefined
    const program = new Program(file)
    opened.push(program)
    return program
  }
  const [picoProgram, espeakProgram] = [await open('pico2wave'), await open('espeak-ng')]
  const folder = picoProgram && (await mkdtemp(join(tmpdir(), 'offhook-voice-')))
  const espeak = espeakProgram && (await espeakIfUsable(espeakProgram, log))
  return {
    ...(picoProgram && folder !== undefined && { pico: openPico(picoProgram, folder) }),
    ...(espeak && { espeak }),
    async close() {
      await Promise.all(opened.map((program) => program.close()))
      if (folder !== undefined) await rm(folder, { recursive: true, force: true })
    },
  }
}

const espeakIfUsable = (program: Program, log: Log): Promise<Tts | undefined> =>
  openEspeak(program).catch((error: unknown) => {
    log('espeak_unusable', { err: error })
    return undefined
  })

const wordsPerMinute = 160
const minPace = 80
const maxPace = 450
/** From 0 to 99; one semitone is about this much. */
const defaultPitch = 50
const pitchPerSemitone = 4

/** Language names that differ from BCP 47. */
const otherNames: Record<string, string> = { zh: 'cmn', no: 'nb', tl: 'fil', iw: 'he' }

/**
 * espeak-ng knows more than a hundred languages and sounds like a robot in all of them. It is GPL-licensed, so it only runs as a separate
 * program.
 */
const openEspeak = async (program: Program): Promise<Tts> => {
  const listing = await program.run(['--voices'], '', AbortSignal.timeout(5_000))
  const known = voicesIn(listing.toString('utf8'))
  if (known.length === 0) throw new SpeechUnavailable('espeak-ng lists no voices')
  return programVoice({
    name: 'espeak',
    speaks: (language) => voiceFor(known, language) !== undefined,
    voices: () => known.map(voiceOf),
    saySentence(text, { language, voice = '', speed = 1, pitch = 0 }, signal) {
      const requested = known.find((name) => name === voice.toLowerCase())
      const pace = Math.round(Math.min(maxPace, Math.max(minPace, wordsPerMinute * speed)))
      const height = Math.round(Math.min(99, Math.max(0, defaultPitch + pitchPerSemitone * pitch)))
      const args = ['-v', requested ?? voiceFor(known, language) ?? 'en', '-s', String(pace), '-p', String(height), '-b', '1', '-z']
      // espeak-ng reads text in double brackets as phonemes.
      return program.run([...args, '--stdin', '--stdout'], text.replace(/[[\]]/g, ' '), signal)
    },
  })
}

/** ` 5  pt-br           --/M      Portuguese_(Brazil) …` */
const voicesIn = (listing: string): string[] => [...listing.matchAll(/^\s*\d+\s+(\S+)\s/gm)].map(([, name = '']) => name.toLowerCase())

/** Accents of a language for requests without an available accent: Belgian French has other words for seventy and ninety. */
const defaultAccents = ['us', 'fr']
/** Locales with American Spanish. */
const american = /^es-(?!es$)/

const voiceFor = (known: readonly string[], language: string): string | undefined => {
  const wanted = language.toLowerCase().replace('_', '-')
  const main = wanted.split('-')[0] ?? ''
  const name = otherNames[main] ?? main
  if (known.includes(wanted)) return wanted
  if (american.test(wanted) && known.includes('es-419')) return 'es-419'
  if (known.includes(name)) return name
  const accents = known.filter((one) => one.startsWith(`${name}-`))
  return defaultAccents.map((accent) => `${name}-${accent}`).find((one) => accents.includes(one)) ?? accents[0]
}

const locales = ['en-US', 'en-GB', 'de-DE', 'es-ES', 'fr-FR', 'it-IT']
const speedLimits = [20, 500] as const
const pitchLimits = [50, 200] as const

/** SVOX Pico, a small voice for five languages. `folder` is for its sound: it only writes files, and only with this extension. */
const openPico = (program: Program, folder: string): Tts => {
  let made = 0
  return programVoice({
    name: 'pico',
    speaks: (language) => localeFor(language) !== undefined,
    async saySentence(text, { language, speed = 1, pitch = 0 }, signal) {
      const file = join(folder, `${++made}.wav`)
      try {
        await program.run(['-l', localeFor(language) ?? 'en-US', '-w', file], marked(text, speed, pitch), signal)
        return await readFile(file).catch((error: unknown) => {
          throw new SpeechUnavailable('pico2wave gave no sound', { cause: error })
        })
      } finally {
        await rm(file, { force: true })
      }
    },
  })
}

const localeFor = (language: string): string | undefined => {
  const wanted = language.replace('_', '-').toLowerCase()
  return locales.find((locale) => locale.toLowerCase() === wanted) ?? locales.find((locale) => locale.slice(0, 2) === wanted.split('-')[0])
}

/** Pico's own tags; the text must not contain any. */
const marked = (text: string, speed: number, pitch: number): string => {
  const plain = text.replace(/[<>&]/g, ' ')
  const paced = speed === 1 ? plain : `<speed level="${percent(speed, speedLimits)}">${plain}</speed>`
  return pitch === 0 ? paced : `<pitch level="${percent(2 ** (pitch / 12), pitchLimits)}">${paced}</pitch>`
}

const percent = (times: number, [min, max]: readonly [number, number]): number => Math.round(Math.min(max, Math.max(min, times * 100)))

const rate = 16_000

interface ProgramVoiceDeps {
  name: string
  speaks: (language: string) => boolean
  voices?: () => readonly KnownVoice[]
  /** Returns a WAV file of this text, which is at most a sentence. */
  saySentence: (text: string, utterance: Utterance, signal: AbortSignal) => Promise<Uint8Array>
}

/** A voice by an external program: sentence by sentence, so that the first one plays while the next is made. */
const programVoice = ({ name, speaks, voices, saySentence }: ProgramVoiceDeps): Tts => ({
  name,
  rate,
  ssml: false,
  speaks,
  ...(voices && { voices }),
  async *synthesize(utterance, signal) {
    for (const sentence of utterancesOf(utterance.text, utterance.language)) {
      if (!/[\p{L}\p{N}]/u.test(sentence)) continue
      try {
        const samples = shapeSound(readSound(await saySentence(sentence, utterance, signal), rate), rate, sentence)
        if (samples.length > 0) yield samples
      } catch (error) {
        if (signal.aborted) return
        throw error
      }
    }
  },
})

/** A sentence takes some hundredths of a second; more than this means a failure. */
const deadlineMs = 10_000
const maxBytes = 20_000_000
/** Processes per program: more would only slow each other down. */
const maxConcurrent = 4

/** Path of the installed program. */
export const findProgram = async (name: string, path: string): Promise<string | undefined> => {
  for (const folder of path.split(delimiter).filter((one) => isAbsolute(one))) {
    const file = join(folder, name)
    if (
      await access(file, constants.X_OK).then(
        () => true,
        () => false,
      )
    )
      return file
  }
  return undefined
}

/** A program that is started for each sentence, reads it from stdin and exits. */
export class Program {
  readonly #file: string
  #waiting: (() => void)[] = []
  readonly #running = new Set<Promise<unknown>>()
  readonly #closing = new AbortController()

  constructor(file: string) {
    this.#file = file
  }

  /** Returns its output. Killed when the signal is aborted. */
  async run(args: readonly string[], input: string, signal: AbortSignal): Promise<Buffer> {
    const ending = AbortSignal.any([signal, this.#closing.signal])
    while (this.#running.size >= maxConcurrent && !ending.aborted) await this.#changed(ending)
    ending.throwIfAborted()
    const running = outputOf(this.#file, args, input, ending)
    this.#running.add(running)
    try {
      return await running
    } finally {
      this.#running.delete(running)
      const woken = this.#waiting
      this.#waiting = []
      for (const wake of woken) wake()
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(new SpeechUnavailable('the voice was closed'))
    await Promise.allSettled(this.#running)
  }

  /** Resolves when one of them ends or is aborted. */
  #changed(ending: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
      ending.addEventListener('abort', () => resolve(), { once: true })
    })
  }
}

const outputOf = async (file: string, args: readonly string[], input: string, signal: AbortSignal): Promise<Buffer> => {
  const late = AbortSignal.timeout(deadlineMs)
  const child = spawn(file, args, {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { PATH: process.env['PATH'], LANG: 'C.UTF-8' },
    signal: AbortSignal.any([signal, late]),
    killSignal: 'SIGKILL',
  })
  let failure: unknown
  child.once('error', (error) => (failure = error))
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve))
  const chunks: Buffer[] = []
  let bytes = 0
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > maxBytes) child.kill('SIGKILL')
    else chunks.push(chunk)
  })
  // It may exit without reading everything; its exit code reports a failure.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const code = await closed
  signal.throwIfAborted()
  if (late.aborted) throw new SpeechUnavailable(`${file} took longer than ${deadlineMs} ms`)
  if (failure !== undefined) throw new SpeechUnavailable(`${file} can't be started`, { cause: failure })
  if (code !== 0) throw new SpeechUnavailable(`${file} failed (${code ?? 'killed'})`)
  return Buffer.concat(chunks)
}
