import { talkSampleRate } from '@offhook/contract/v3/talks.ts'
import { modelsFolder } from '#adapters/speech/models/models-folder.ts'
import { missingSpeechRuntime } from '#adapters/speech/speech-runtime.ts'
import { openCallersVoice, type CallersVoice } from '#adapters/speech/synthesiser/callers-voice.ts'
import { settingsOf } from '../start/settings.ts'
import { Mistake } from '../terminal/mistake.ts'

export type Voice = CallersVoice

/** The voice of the callers, on this machine. Exit code 3 where there is none. */
export const openVoice = async (): Promise<Voice> => {
  const unusable = missingSpeechRuntime()
  if (unusable !== undefined) throw new Mistake(3, `There is no voice for --voice: ${unusable}`)
  const folder = modelsFolder(settingsOf(process.env).OFFHOOK_MODELS)
  if (folder === undefined)
    throw new Mistake(3, 'There is no voice for --voice: OFFHOOK_MODELS is off. Unset it and run `npx offhook models`.')
  const voice = await openCallersVoice(folder, talkSampleRate)
  const orLeave = (error: unknown): never => {
    throw new Mistake(3, `There is no voice for --voice: ${(error as Error).message}`)
  }
  return { soundOf: (text, language) => voice.soundOf(text, language).catch(orLeave), close: () => voice.close() }
}
