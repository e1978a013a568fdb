import { pino } from 'pino'
import { openModels } from '../../packages/server/src/adapters/speech/models/models.ts'
import { Recogniser } from '../../packages/server/src/adapters/speech/recogniser/recogniser.ts'
import { SoundTrack, samplesPerMs } from '../../packages/server/src/core/sound/sound-track.ts'
import { readSettings } from '../../packages/server/src/config.ts'
import type { Scope } from './temporary-folder.ts'

/** Our own embedded recogniser, for what somebody else's phone has recorded at 8 kHz. */
export const openRecogniser = async (t: Scope): Promise<(samples: Float32Array, language: string) => Promise<string>> => {
  const logger = pino({ level: 'silent' })
  const models = await openModels(readSettings({}), logger, { begin: () => {}, fetched: () => {}, end: () => {} })
  const recogniser = new Recogniser({ models, logger, whisper: 'base', workers: 1, processors: 2 })
  t.after(async () => {
    await recogniser.close()
    await models.close()
  })
  return async (samples, language) => {
    const track = SoundTrack.of(samples.length / (samplesPerMs * 1000) + 1)
    track.write(Int16Array.from(samples, (value) => Math.round(value * 32_767)))
    track.end()
    const stream = recogniser.open(track, { languages: [language], vocabulary: [] }, { failed: () => {} })
    const { text } = await stream.transcribe(0, track.length, new AbortController().signal)
    stream.close()
    return text
  }
}
