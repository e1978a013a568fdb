import { join, resolve } from 'node:path'
import { SpeechFolder } from '#adapters/speech/archive/speech-folder.ts'
import type { SpeechArchive } from '#core/kernel/ports/assistant/speech-archive.ts'
import type { Settings } from '#settings/config.ts'
import type { Open } from './closing.ts'
import type { Platform } from './platform.ts'

/** Only the embedded voices' sound stays the same as long as their models do: without them there is nothing to keep. */
export const openSpeechArchive = (settings: Settings, { wallClock: clock, log }: Platform, open: Open): SpeechArchive | undefined => {
  const { OFFHOOK_SPEECH: way, OFFHOOK_SPEECH_CACHE: wanted, OFFHOOK_SPEECH_CACHE_BYTES: maxBytes, OFFHOOK_DATA: data } = settings
  if (way !== 'embedded' || wanted === 'off') return undefined
  return open(new SpeechFolder({ folder: wanted === undefined ? join(data, 'speech-cache') : resolve(wanted), maxBytes, clock, log }))
}
