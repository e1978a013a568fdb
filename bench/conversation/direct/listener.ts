import { SileroDetector } from '#adapters/speech/vad/silero-detector.ts'
import { detectorFile, modelsFolder } from '#adapters/speech/models/model-list.ts'
import type { Stt, Tts } from '#core/kernel/ports/speech.ts'
import { readSettings } from '#settings/config.ts'
import { openSpeech } from '#wiring/speech.ts'
import { join } from 'node:path'
import { paces, type Pace } from '#test/speech/timed-recogniser.ts'

/** Embedded recogniser to measure. */
export interface ModelChoice {
  english: 'base' | 'tiny'
  whisper: 'base' | 'small'
}

/** Models used by a rehearsal. */
export interface Listener {
  choice: ModelChoice
  stt: Stt
  tts: Tts | undefined
  paceOf: (language: string) => Pace
  detector: SileroDetector
  close(): Promise<void>
}

export const openListener = async (choice: ModelChoice): Promise<Listener> => {
  const settings = readSettings({ OFFHOOK_SPEECH: 'embedded', OFFHOOK_ENGLISH: choice.english, OFFHOOK_WHISPER: choice.whisper })
  const speech = await openSpeech({ settings, log: () => {} })
  const stt = speech.stt('embedded')
  if (!stt) throw new Error('there is no embedded recogniser: `offhook models` fetches it')
  const folder = modelsFolder(process.env['OFFHOOK_MODELS']) ?? ''
  return {
    choice,
    stt,
    tts: speech.tts('embedded'),
    paceOf: (language) => paces[language.startsWith('en') ? choice.english : (`whisper ${choice.whisper}` as const)],
    detector: await SileroDetector.load(join(folder, detectorFile)),
    close: () => speech.close(),
  }
}
