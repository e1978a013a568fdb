import { fetchModels } from '#adapters/speech/models/fetch-models.ts'
import { modelSizes, missingPackages, modelsFolder, partsFor } from '#adapters/speech/models/model-list.ts'
import { missingSpeechRuntime } from '#adapters/speech/speech-runtime.ts'
import { progressBar } from '#adapters/speech/models/progress-bar.ts'
import { Mistake } from './terminal/mistake.ts'
import { settingsOf } from './start/settings.ts'
import { untilInterrupted } from './terminal/until-interrupted.ts'

/** Everything else works without them, so a missing one is reported and fails only this command. */
export const models = async (): Promise<void> => {
  const settings = settingsOf(process.env)
  const folder = modelsFolder(settings.OFFHOOK_MODELS)
  if (folder === undefined) return
  const unusable = missingSpeechRuntime()
  if (unusable !== undefined)
    return console.error(`offhook: no models are fetched: ${unusable}. Assistants hear and speak with a provider.`)
  const parts = partsFor(modelSizes(settings))
  const packages = await missingPackages(folder, parts)
  const signal = untilInterrupted() // releases the lock, so that the next run need not wait for its expiry
  const fetch = { folder, packages, progress: progressBar(process.stderr), signal }
  await fetchModels(fetch).catch(async (error: unknown) => {
    const missing = (await missingPackages(folder, parts)).map(({ name }) => name).join(', ')
    const advice = `Until \`npx offhook models\` has fetched the rest, embedded speech does not work. Missing: ${missing}`
    throw new Mistake(1, `${signal.aborted ? 'Interrupted.' : (error as Error).message}\n${advice}`)
  })
}
