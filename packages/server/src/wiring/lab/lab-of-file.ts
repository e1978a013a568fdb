import type { LabReport, LabWish } from '@offhook/contract/v2/lab.ts'
import { reportOfSound } from '#core/assistant/lab/compare-runs.ts'
import { readChannels } from '#media/sound/wav.ts'
import { environmentWithFile } from '#settings/config-file.ts'
import { readSettings } from '#settings/config.ts'
import { openSpeech } from '../speech.ts'

/** Runs the lab on a recording that no service knows, with the models of this machine. */
export const labOfFile = async (bytes: Uint8Array, input: LabWish, language: string): Promise<LabReport> => {
  const { rate, channels } = readChannels(bytes)
  const speech = await openSpeech({ settings: readSettings(environmentWithFile(process.env)), log: () => {} })
  try {
    if (!speech.lab) throw new Error('nothing can be recognised here: `offhook models` fetches what is needed')
    const [heard = new Int16Array(), sent = new Int16Array(heard.length)] = channels
    return await reportOfSound(speech.lab, { rate, heard, sent }, input, language)
  } finally {
    await speech.close()
  }
}
