import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Speech } from '#core/kernel/ports/speech.ts'
import { SoundTrack } from '#core/kernel/sound/sound-track.ts'
import { readSettings } from '#settings/config.ts'
import { openSpeech } from '#wiring/speech.ts'
import { offhook, ready } from '#test/machine/program.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { readRecordedSpeech } from '#test/speech/recorded-speech.ts'
import { percentile, rounded, spread } from '../shared/percentiles.ts'
import { processCpuMs } from '../shared/process-cpu.ts'
import { openScope } from '../shared/scope.ts'

/**
 * Recognition and synthesis by a speech service on loopback, and by models in the process: latency of an utterance, CPU and memory of the process
 * that carries the calls, and utterances that the service recognises per second with several callers. `node bench/speech/remote.ts [utterances]`.
 */
const utterances = Number(process.argv[2] ?? 40)
const callers = 8
const recorded = await readRecordedSpeech()
const nobody = new AbortController().signal

const soundOf = (nth: number): Int16Array => recorded[nth % recorded.length]?.samples ?? new Int16Array()

const hear = async (speech: Speech, sound: Int16Array): Promise<number> => {
  const track = SoundTrack.of(sound.length / 8_000 + 1)
  track.write(sound)
  track.end()
  const stream = speech.stt('embedded')?.open(track, { languages: ['en-US'], vocabulary: [] }, { failed: () => {} })
  const started = performance.now()
  await stream?.transcribe(0, sound.length, nobody)
  stream?.close()
  return performance.now() - started
}

/** Milliseconds until the first sound. */
const say = async (speech: Speech): Promise<number> => {
  const started = performance.now()
  let first: number | undefined
  const sound = speech.tts('embedded')?.synthesize({ text: 'Thank you for calling. Please hold the line.', language: 'en' }, nobody)
  for await (const _ of sound ?? []) first ??= performance.now()
  return (first ?? NaN) - started
}

/** Milliseconds of each try, and CPU of this process for all of them. */
class Tally {
  readonly ms: number[] = []
  #cpuMs = 0

  async add(work: () => Promise<number>): Promise<void> {
    const before = processCpuMs(process.pid)
    this.ms.push(await work())
    this.#cpuMs += processCpuMs(process.pid) - before
  }

  get shown(): object {
    return { ...spread(this.ms), cpuMs: rounded(this.#cpuMs / this.ms.length) }
  }
}

const memoryMb = (): number => Math.round(process.memoryUsage.rss() / 2 ** 20)

const scope = openScope()
try {
  const key = randomBytes(16).toString('hex')
  const data = await temporaryFolder(scope)
  const program = offhook(scope, ['speech'], {
    OFFHOOK_DATA: data,
    OFFHOOK_SPEECH: 'embedded',
    OFFHOOK_SPEECH_LISTEN: '127.0.0.1:0',
    OFFHOOK_SPEECH_KEY: key,
    OFFHOOK_LOG: 'error',
  })
  const { url } = await ready<{ url: string }>(program)
  const log = (): void => {}
  const remote = await openSpeech({
    settings: readSettings({ OFFHOOK_SPEECH: 'service', OFFHOOK_SPEECH_URL: url, OFFHOOK_SPEECH_KEY: key, OFFHOOK_SPEECH_FALLBACK: 'off' }),
    log,
  })
  // The service loads its models.
  for (let tries = 0; tries < 60; tries++) {
    if (await Promise.all([hear(remote, soundOf(0)), say(remote)]).catch(() => undefined)) break
    await wait(1_000)
  }
  const withoutModels = memoryMb()
  const local = await openSpeech({ settings: readSettings({ OFFHOOK_SPEECH: 'embedded' }), log })
  await Promise.all([hear(local, soundOf(0)), say(local)])
  const withModels = memoryMb()
  const [heard, spoken] = [
    { service: new Tally(), embedded: new Tally() },
    { service: new Tally(), embedded: new Tally() },
  ]
  // In turns: other programs on the machine disturb both.
  for (let nth = 0; nth < utterances; nth++) {
    await heard.service.add(() => hear(remote, soundOf(nth)))
    await heard.embedded.add(() => hear(local, soundOf(nth)))
    await spoken.service.add(() => say(remote))
    await spoken.embedded.add(() => say(local))
  }
  await local.close()
  const addedMs = heard.service.ms.map((ms, nth) => ms - (heard.embedded.ms[nth] ?? NaN))
  const pid = program.child.pid ?? -1
  const [startedAt, cpuBefore] = [performance.now(), processCpuMs(pid)]
  const caller = async (index: number): Promise<number[]> => {
    const times: number[] = []
    for (let nth = 0; nth < utterances / 2; nth++) times.push(await hear(remote, soundOf(index + nth * callers)))
    return times
  }
  const times = (await Promise.all(Array.from({ length: callers }, (_, index) => caller(index)))).flat()
  const seconds = (performance.now() - startedAt) / 1000
  const cores = (processCpuMs(pid) - cpuBefore) / 1000 / seconds
  await remote.close()
  program.child.kill('SIGTERM')
  await program.ended
  console.log(
    JSON.stringify({
      bench: 'remote',
      utterances,
      hear: { service: heard.service.shown, embedded: heard.embedded.shown, addedMs: spread(addedMs) },
      firstSound: { service: spoken.service.shown, embedded: spoken.embedded.shown },
      memoryMb: { withoutModels, withModels },
      load: {
        callers,
        utterancesPerSecond: rounded(times.length / seconds),
        perCoreSecond: rounded(times.length / seconds / cores),
        cores: rounded(cores, 2),
        p50: percentile(times, 0.5),
        p95: percentile(times, 0.95),
      },
    }),
  )
} finally {
  await scope.end()
}
