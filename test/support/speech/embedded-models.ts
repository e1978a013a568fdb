import { type ModelPart, missingPackages, modelsFolder } from '#adapters/speech/models/model-list.ts'
import type { Models } from '#adapters/speech/models/models.ts'

export interface EmbeddedModels extends Pick<Models, 'folderWith'> {
  /** Reason to skip tests with these parts. */
  skip: string | false
}

/** Models that `npm install` has fetched. In CI they must exist. */
export const embeddedModels = async (...parts: ModelPart[]): Promise<EmbeddedModels> => {
  const folder = modelsFolder(process.env['OFFHOOK_MODELS']) ?? 'off'
  const missing = (await missingPackages(folder, parts)).map(({ name }) => name).join(', ')
  if (missing !== '' && process.env.CI === 'true') throw new Error(`not in ${folder}: ${missing}`)
  const skip = missing !== '' && `these models are not here: ${missing} (\`offhook models\` fetches them)`
  return { skip, folderWith: () => Promise.resolve(folder) }
}
